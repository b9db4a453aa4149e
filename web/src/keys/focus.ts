// Moving the focus: to a named thing, or with the arrows to the nearest one in their direction.

export function focusFirst(testids: readonly string[]) {
  for (const testid of testids) {
    const element = document.querySelector<HTMLElement>(`[data-testid="${testid}"]`);
    if (element) return element.focus();
  }
}

/** What is called so is no thing on the table, but the table itself or its bar. */
export const START = "start";

/** The focus goes to the table, unless somebody is somewhere else on the page. */
export function focusTable(testid: string) {
  const active = document.activeElement;
  if (active === null || active === document.body || active.id === "main")
    document.querySelector<HTMLElement>(`[data-testid="${testid}"]`)?.focus({ preventScroll: true });
}

const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** How much worse a step aside is than one ahead, and how far aside a thing may lie at all. */
const ASIDE_COSTS = 2.5;
const MAX_ASIDE = 3;
/** Things in the same row or column are never exactly in line. */
const MIN_STEP = 8;

function middle(element: Element): [number, number] {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

/** The arrows walk to the nearest thing in their direction. */
export function walk(event: KeyboardEvent) {
  const direction = ARROWS[event.key];
  const from = document.activeElement;
  if (!direction || !(from instanceof HTMLElement)) return;
  // From the table as a whole an arrow goes to its first card.
  if (from.dataset.nav === START) {
    event.preventDefault();
    return document.querySelector<HTMLElement>('[data-nav="card"]')?.focus();
  }
  if (!from.dataset.nav) return;
  const [dx, dy] = direction;
  const [x, y] = middle(from);
  let best: HTMLElement | null = null;
  let nearest = Infinity;
  for (const element of document.querySelectorAll<HTMLElement>(`[data-nav]:not([data-nav="${START}"])`)) {
    const [ex, ey] = middle(element);
    const along = (ex - x) * dx + (ey - y) * dy;
    const across = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
    const distance = along + ASIDE_COSTS * across;
    if (along > MIN_STEP && across < along * MAX_ASIDE && distance < nearest) [best, nearest] = [element, distance];
  }
  event.preventDefault();
  best?.focus();
}
