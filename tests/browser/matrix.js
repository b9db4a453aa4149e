// What is wrong with the table as it is laid out now, by name: things cut off, things on top of each other, a page that scrolls
// sideways. Boxes are compared; half a pixel is rounding.
async () => {
  const ROUNDING = 1;
  const MIN_TARGET = 43;
  const MIN_CARD = 50;
  /** What must be seen whole. Things inside one another are no overlap. */
  const THINGS = {
    seat: ".shell .seat",
    "name of a seat": ".seat > h3",
    "number in a name": ".shell .ordinal",
    "sums of a seat": ".seat > .sums > *, .seat > .clock",
    "points of a seat": ".seat > .points",
    "lane of a seat": ".shell .lanes li",
    "figure of a lane": ".lanes li b",
    "reserve of a seat": ".shell .reserve",
    tile: ".tiles .tile",
    deck: ".market .deck",
    card: ".market .card",
    pile: ".bank .pile",
    where: "[data-testid='where']",
    "where words": "[data-testid='where'] span",
    bar: ".near > .bar > *",
    "words of the bar": ".near .say > p, .near .now, .near .count",
    "button of the bar": ".near .bar button, .near .bar input",
    mine: ".mine[data-testid]",
    "my name": ".mine h2",
    "my button": ".mine .name button",
    "my sums": ".mine .sums > *",
    "my gauntlet": ".mine .gauntlet",
    "my lane": ".mine .lanes li",
    "my card": ".mine .kept",
    "side panel": ".side > *",
    header: ".app > header > *",
    guide: ".guide",
  };
  /** A name may end in an ellipsis, a sentence of a replay in its second line. */
  const MAY_BE_SHORTENED = ["my name", "name of a seat"];

  // Two frames: the layout is chosen in the first, and drawn in the second.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const page = document.documentElement;
  // At the end of the page a sticky bar lies in its own place.
  window.scrollTo(0, page.scrollHeight);
  const layout = page.dataset.layout;
  const problems = [];

  const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  const hiddenForTheEye = (element) => {
    const box = element.getBoundingClientRect();
    return box.width <= 1 || box.height <= 1 || element.closest(".visually-hidden") !== null;
  };
  /** Words reach as far as their letters. */
  const extent = (name, element) => {
    if (name !== "words of the bar") return element.getBoundingClientRect();
    const letters = document.createRange();
    letters.selectNodeContents(element);
    return letters.getBoundingClientRect();
  };
  /** A refusal lies over the line with the round and the goal, and over nothing else. */
  const isRefusal = (thing) => thing.element.classList.contains("said");
  const things = Object.entries(THINGS).flatMap(([name, selector]) =>
    [...document.querySelectorAll(selector)]
      .filter((element) => shown(element) && !hiddenForTheEye(element))
      .map((element) => ({ name, element, box: extent(name, element) })),
  );
  const label = ({ name, element }) => {
    const place = element.dataset.testid ?? element.dataset.at ?? element.closest("[data-testid]")?.dataset.testid;
    return `${name} (${place}${element.dataset.testid ? "" : `, ${element.getAttribute("class") || element.tagName}`.replace(/ ?svelte-\w+/g, "")})`;
  };
  const round = (box) => `${Math.round(box.left)},${Math.round(box.top)} to ${Math.round(box.right)},${Math.round(box.bottom)}`;

  for (const wanted of ["seat", "tile", "deck", "card", "pile", "lane of a seat", "where words"])
    if (!things.some(({ name }) => name === wanted)) problems.push(`no ${wanted} is shown`);

  if (page.scrollWidth > page.clientWidth) problems.push(`the page scrolls sideways by ${page.scrollWidth - page.clientWidth} px`);
  const tools = document.querySelector(".below")?.getBoundingClientRect().height ?? 0;
  const below = page.scrollHeight - page.clientHeight - tools;
  if (below > ROUNDING && !(layout === "tall" && page.clientHeight < 700)) problems.push(`the page scrolls down by ${below} px`);

  for (const thing of things) {
    const { element, box, name } = thing;
    if (box.left < -ROUNDING || box.right > page.clientWidth + ROUNDING) problems.push(`${label(thing)} is cut by the screen: ${round(box)}`);
    for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(above);
      if (overflowX === "visible" && overflowY === "visible") continue;
      const frame = above.getBoundingClientRect();
      const out = Math.max(frame.left - box.left, box.right - frame.right, overflowY === "auto" ? 0 : frame.top - box.top, overflowY === "auto" ? 0 : box.bottom - frame.bottom);
      if (out > ROUNDING && !MAY_BE_SHORTENED.includes(name)) problems.push(`${label(thing)} is cut by ${above.getAttribute("class")}: ${round(box)} in ${round(frame)}`);
    }
    // What is too large for its own box lies on something else.
    const wide = element.scrollWidth - element.clientWidth;
    if (wide > ROUNDING && element.clientWidth > 0 && !MAY_BE_SHORTENED.includes(name) && getComputedStyle(element).overflowX !== "visible" && name !== "side panel")
      problems.push(`${label(thing)} is ${wide} px too narrow for what is in it`);
  }

  const inside = (a, b) => a.element.contains(b.element) || b.element.contains(a.element);
  for (let i = 0; i < things.length; i++)
    for (let j = 0; j < i; j++) {
      const [a, b] = [things[j], things[i]];
      if (inside(a, b) || (isRefusal(b) && a.name.startsWith("where"))) continue;
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > ROUNDING && down > ROUNDING) problems.push(`${label(a)} lies on ${label(b)}: ${round(a.box)} and ${round(b.box)}`);
    }
  // A thing lies within the panel it belongs to.
  for (const panel of document.querySelectorAll(".shell .seat, .mine[data-testid], .near > .bar > *")) {
    const frame = panel.getBoundingClientRect();
    for (const thing of things.filter((one) => one.element !== panel && panel.contains(one.element) && !isRefusal(one))) {
      const out = Math.max(frame.left - thing.box.left, thing.box.right - frame.right, frame.top - thing.box.top, thing.box.bottom - frame.bottom);
      if (out > 3) problems.push(`${label(thing)} reaches ${Math.round(out)} px out of its panel`);
    }
  }

  const card = things.find(({ name }) => name === "card")?.box.width ?? 0;
  if (card < MIN_CARD) problems.push(`a card is ${Math.round(card)} px wide`);
  if (layout !== "wide")
    for (const thing of things.filter(({ name }) => ["pile", "deck"].includes(name)))
      if (Math.min(thing.box.width, thing.box.height) < MIN_TARGET) problems.push(`${label(thing)} is too small to tap: ${round(thing.box)}`);
  return problems;
}
