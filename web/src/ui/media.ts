import { MediaQuery } from "svelte/reactivity";

/** How the table is laid out: its parts side by side, one under the other, or for a phone on its side. */
export type Layout = "wide" | "tall" | "low";

const isLow = new MediaQuery("(max-height: 520px) and (min-aspect-ratio: 5/4)");
const isWide = new MediaQuery("(min-width: 800px) and (min-aspect-ratio: 1/1)");

export const layout = {
  get current(): Layout {
    return isLow.current ? "low" : isWide.current ? "wide" : "tall";
  },
};

/** Room for the table with everything beside each other. */
export const wide = {
  get current() {
    return layout.current === "wide";
  },
};

/** Room for whole sentences beside the tiles. */
export const roomy = new MediaQuery("(min-width: 1100px) and (min-height: 760px)");
