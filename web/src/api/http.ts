// Every address of the server, in one place.
import type {
  BotOut,
  CreatedOut,
  GameDataOut,
  JoinOut,
  LobbyOut,
  PushIn,
  PushKeyOut,
  RefusalOut,
  ReplayOut,
  SeatLinkOut,
  TableOptions,
  TableOut,
  UserOut,
  VariantOut,
} from "./messages";
import { takesCookies } from "../ui/storage";

export type Variant = GameDataOut["variant"];

/** Which game is played. Only a request may leave it out; the server always names it. */
export const variantOf = (table: TableOut) => table.options.variant as Variant;

/** What the server refused: its sentence, and what is needed to say it in another language. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly code = "",
    readonly facts: RefusalOut["facts"] = {},
  ) {
    super(reason);
  }
}

/** How long the first answer may take, in milliseconds: a line that has gone says nothing. */
const ME_WITHIN = 8000;

export async function ask<T>(method: string, path: string, body?: unknown, within?: number): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(within === undefined ? {} : { signal: AbortSignal.timeout(within) }),
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    const said = (await response.json().catch(() => null)) as Partial<RefusalOut> | null;
    throw new Refusal(response.status, typeof said?.detail === "string" ? said.detail : response.statusText, said?.code, said?.facts);
  }
  return (await response.json()) as T;
}

let guest: Promise<UserOut> | null = null;

/** Who I am. The answer brings the cookie that holds my seats, so it is asked for once, and before any socket is opened. */
export function me(): Promise<UserOut> {
  guest ??= ask<UserOut>("GET", "/api/me", undefined, ME_WITHIN).catch((wrong: unknown) => {
    guest = null;
    throw wrong;
  });
  return guest;
}

/** Another guest from now on: the next answer says who. */
export const forgetMe = () => void (guest = null);

export async function rename(name: string): Promise<UserOut> {
  await me();
  const renamed = await ask<UserOut>("PUT", "/api/me", { name });
  guest = Promise.resolve(renamed);
  return renamed;
}

export const lobby = () => ask<LobbyOut>("GET", "/api/tables");
export const variants = () => ask<VariantOut[]>("GET", "/api/variants");
export const bots = () => ask<BotOut[]>("GET", "/api/bots");
/** A new table. If its game can begin at once, it waits a moment for this browser's part in the deal. */
export async function createTable(options: TableOptions): Promise<CreatedOut> {
  // Without a cookie one would stand at the own table as a stranger.
  if (!takesCookies) throw new Refusal(409, "no cookie", "no_cookie");
  return ask<CreatedOut>("POST", "/api/tables?sealed=true", options);
}
export const table = (id: string) => ask<TableOut>("GET", `/api/tables/${id}`);
export const replay = (id: string, seat: number | null) =>
  ask<ReplayOut>("GET", `/api/tables/${id}/replay${seat === null ? "" : `?seat=${seat}`}`);

/** The private link of the own seat; refused if one only watches. */
export const ownSeat = (id: string) => ask<CreatedOut>("GET", `/api/tables/${id}/link`);

/** What a private link gives; asking changes nothing. */
export const seatLink = (token: string) => ask<SeatLinkOut>("GET", `/api/seats/${encodeURIComponent(token)}`);

/** Take the seat of a private link, giving up the one held at that table. */
export const takeSeat = (token: string, givesUp: number | null) =>
  ask<CreatedOut>("POST", `/api/seats/${encodeURIComponent(token)}`, { gives_up: givesUp });

/** After the end: what was committed to at the start, and the record. */
interface Revealed {
  variant: Variant;
  players: number;
  commitment: string;
  record: string;
}
/** Of a table that was opened by an older server. */
export interface Reveal1 extends Revealed {
  format: 1;
  start: number;
  seed: string;
  salt: string;
}
export interface Reveal2 extends Revealed {
  format: 2;
  table: string;
  start_rule: string;
  secret: string;
  seals: (string | null)[];
  nonces: (string | null)[];
}
/** Of tables that share a deal. */
export interface Reveal3 extends Revealed {
  format: 3;
  table: string;
  deal: string;
  start_rule: string;
  secret: string;
}
export type Reveal = Reveal1 | Reveal2 | Reveal3;
export const reveal = (id: string) => ask<Reveal>("GET", `/api/tables/${id}/reveal`);

/** Where friends find this server. */
export const join = () => ask<JoinOut>("GET", "/api/join");

/** The key for notifications; none: this server sends none. */
export const pushKey = () => ask<PushKeyOut>("GET", "/api/push");
export const subscribe = (subscription: PushIn) => ask<PushKeyOut>("PUT", "/api/push", subscription);
export const unsubscribe = (endpoint: string) => ask<PushKeyOut>("DELETE", "/api/push", { endpoint });

export const qrAddress = (id: string) => `/api/tables/${id}/qr.svg`;
export const recordAddress = (id: string) => `/api/tables/${id}/record`;
/** The socket of a table. `since` is the last line of the log one has, `heard` the last line of chat in each room. */
export const socketAddress = (id: string, since: number, heard: { table: number; watch: number }) =>
  `${location.origin.replace(/^http/, "ws")}/api/tables/${id}/socket?since=${since}&table=${heard.table}&watch=${heard.watch}`;

const printed = new Map<Variant, Promise<GameDataOut>>();

/** The cards and tiles of a game; asked for once. */
export function gameData(variant: Variant): Promise<GameDataOut> {
  let data = printed.get(variant);
  if (!data) {
    data = ask<GameDataOut>("GET", `/api/data/${variant}`);
    data.catch(() => printed.delete(variant));
    printed.set(variant, data);
  }
  return data;
}
