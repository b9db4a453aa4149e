// The addresses of the deal of the day, of duels and of one's own games.
import { ask, forgetMe, me, Refusal, type Variant } from "../api/http";
import type { BotOut, CreatedOut, DayOut, DeletedOut, DeviceLinkOut, DuelIn, DuelOut, ImportOut, MadeDuelOut, MyGamesOut, RefusalOut, UserOut } from "../api/messages";
import { addRefusals } from "../announce/refusals";
import { m } from "../paraglide/messages";
import { takesCookies } from "../ui/storage";

addRefusals({
  tried: m.refused_tried,
  duel_full: m.refused_duel_full,
  no_records: m.refused_no_records,
  too_many_records: m.refused_too_many_records,
  no_device_key: m.refused_no_device_key,
});

/** What somebody begins belongs to their cookie. */
async function asGuest() {
  if (!takesCookies) throw new Refusal(409, "no cookie", "no_cookie");
  await me();
}

export async function askDay(variant: Variant, date: string | null): Promise<DayOut> {
  await me();
  return ask<DayOut>("GET", `/api/daily/${variant}${date ? `?date=${encodeURIComponent(date)}` : ""}`);
}

export async function beginDay(variant: Variant, date: string, practice: boolean): Promise<CreatedOut> {
  await asGuest();
  return ask<CreatedOut>("POST", `/api/daily/${variant}`, { date, practice });
}

export const duelBots = () => ask<BotOut[]>("GET", "/api/duels");

export async function makeDuel(wanted: DuelIn): Promise<MadeDuelOut> {
  await asGuest();
  return ask<MadeDuelOut>("POST", "/api/duels", wanted);
}

export async function askDuel(id: string): Promise<DuelOut> {
  await me();
  return ask<DuelOut>("GET", `/api/duels/${encodeURIComponent(id)}`);
}

export async function beginDuel(id: string): Promise<CreatedOut> {
  await asGuest();
  return ask<CreatedOut>("POST", `/api/duels/${encodeURIComponent(id)}`);
}

export async function myGames(): Promise<MyGamesOut> {
  await me();
  return ask<MyGamesOut>("GET", "/api/games");
}

export const EXPORT_ADDRESS = "/api/games/export";
export const importedRecord = (id: string) => `/api/games/${id}/record`;
/** The server takes no more; it says so too, but only after all was sent. */
export const MAX_UPLOAD_BYTES = 1_000_000;

/** Send files to import: one, or several records as one text. */
export async function importGames(files: readonly File[]): Promise<ImportOut> {
  await asGuest();
  const body = new Blob(files.flatMap((file) => [file, "\n"]).slice(0, -1));
  if (body.size > MAX_UPLOAD_BYTES) throw new Refusal(413, "too large", "too_large", { most: MAX_UPLOAD_BYTES });
  const response = await fetch("/api/games", { method: "POST", body });
  if (response.ok) return (await response.json()) as ImportOut;
  const said = (await response.json().catch(() => null)) as Partial<RefusalOut> | null;
  throw new Refusal(response.status, said?.detail ?? response.statusText, said?.code, said?.facts);
}

export const deleteImport = (id: string) => ask<DeletedOut>("DELETE", `/api/games/${id}`);

export async function deviceLink(): Promise<DeviceLinkOut> {
  await asGuest();
  return ask<DeviceLinkOut>("POST", "/api/me/link");
}

/** This browser becomes the guest of a link. */
export async function becomeGuest(key: string): Promise<UserOut> {
  const user = await ask<UserOut>("POST", "/api/me/device", { key });
  forgetMe();
  return user;
}
