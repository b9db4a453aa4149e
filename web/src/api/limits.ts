// What the server takes at most; a page says so before it sends more.

/** Bytes of a record. */
export const MAX_RECORD_BYTES = 60_000;
