import { afterEach, expect, test, vi } from "vitest";
import { overwriteGetLocale } from "../../src/paraglide/runtime";
import { dayFormat, numberFormat } from "../../src/ui/intl";

const DAY = new Date("2026-11-16T12:00:00Z");

afterEach(() => {
  vi.restoreAllMocks();
  overwriteGetLocale(() => "en");
});

test("Icelandic numbers and dates have words where the browser has them", () => {
  overwriteGetLocale(() => "is");
  expect(numberFormat({ maximumFractionDigits: 1 }).format(55.4)).toBe("55,4");
  expect(dayFormat("long", "UTC").format(DAY)).toContain("nóvember");
});

test("a browser without Icelandic writes a date in numbers", () => {
  overwriteGetLocale(() => "is");
  const Whole = Intl.NumberFormat;
  vi.spyOn(Intl, "NumberFormat").mockImplementation(function (locale?: string | string[], options?: Intl.NumberFormatOptions) {
    return new Whole(locale === "is" ? "en" : locale, options);
  } as typeof Intl.NumberFormat);
  expect(numberFormat({ maximumFractionDigits: 1 }).format(55.4)).toBe("55,4");
  expect(dayFormat("long", "UTC").format(DAY)).toBe("16.11.2026");
});

test("other languages are as they are", () => expect(dayFormat("medium", "UTC").format(DAY)).toBe("Nov 16, 2026"));
