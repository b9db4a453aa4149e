// Numbers and dates in the reader's language. Chromium has no data for Icelandic, and would write 55.4 and "2026 M11 16":
// there Danish stands in, which writes numbers alike, and a date in numbers.
import { getLocale } from "../paraglide/runtime";

const lacksData = () => getLocale() === "is" && new Intl.NumberFormat("is").format(0.5) !== "0,5";
const locale = () => (lacksData() ? "da" : getLocale());

export const numberFormat = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale(), options);

/** A large number in few characters, or in full where the browser has no words for thousands. */
export const compactFormat = () => numberFormat(lacksData() ? {} : { notation: "compact" });

const ICELANDIC = { hour: "klst.", minute: "mín." };

export const timeFormat = (n: number, unit: keyof typeof ICELANDIC) =>
  lacksData() ? `${n} ${ICELANDIC[unit]}` : numberFormat({ style: "unit", unit, unitDisplay: "short" }).format(n);

/** A day in words, or in numbers where the browser has no words. */
export const dayFormat = (dateStyle: "long" | "medium", timeZone?: string) =>
  new Intl.DateTimeFormat(locale(), { timeZone, ...(lacksData() ? { day: "numeric", month: "numeric", year: "numeric" } : { dateStyle }) });
