/** The parts of the server's messages that the art draws. */
export type { Variant } from "../api/http";
export type { CardOut, TileFaceOut } from "../api/messages";
