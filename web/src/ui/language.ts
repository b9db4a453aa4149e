// The language that was chosen. Paraglide's own way of keeping it stops the page in a browser that refuses to store anything.
import { defineCustomClientStrategy, isLocale, localStorageKey } from "../paraglide/runtime";
import { store, stored } from "./storage";

defineCustomClientStrategy("custom-kept", {
  getLocale: () => {
    const kept = stored(localStorageKey);
    return isLocale(kept) ? kept : undefined;
  },
  setLocale: (locale) => store(localStorageKey, locale),
});
