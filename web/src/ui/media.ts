import { MediaQuery } from "svelte/reactivity";

/** Room for the table with everything beside each other. */
export const wide = new MediaQuery("min-width: 900px");

/** The smallest phones. */
export const narrow = new MediaQuery("max-width: 379px");
