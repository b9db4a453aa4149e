// Numbers and dates in the reader's language. Chromium has no data for Icelandic, and would write 55.4 and "2026 M11 16":
// there Danish stands in, which writes numbers alike, and a date in numbers.
import { getLocale } from "../paraglide/runtime";

const lacksData = () => getLocale() === "is" && new Intl.NumberFormat("is").format(0.5) !== "0,5";
const locale = () => (lacksData() ? "da" : getLocale());

export const numberFormat = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale(), options);

/** A day in words, or in numbers where the browser has no words. */
export const dayFormat = (dateStyle: "long" | "medium", timeZone?: string) =>
  new Intl.DateTimeFormat(locale(), { timeZone, ...(lacksData() ? { day: "numeric", month: "numeric", year: "numeric" } : { dateStyle }) });
