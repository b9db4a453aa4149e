/** The parts of the server's messages that the art draws. */
/** How a game is drawn and what its gems are called: the key of every table of colours, shapes and names. */
export type Theme = string;
export type { CardOut, TileFaceOut } from "../api/messages";
