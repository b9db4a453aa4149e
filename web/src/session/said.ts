// Lines of chat as they come from the server.
import type { ChatLineOut } from "../api/messages";

export type Heard = Record<ChatLineOut["room"], number>;

/** The lines of both rooms in the order in which they were said; each once. */
export function merged(known: readonly ChatLineOut[], fresh: readonly ChatLineOut[]): ChatLineOut[] {
  const key = (line: ChatLineOut) => `${line.room} ${line.number}`;
  const lines = new Map([...known, ...fresh].map((line) => [key(line), line]));
  return [...lines.values()].sort((a, b) => a.at - b.at || a.number - b.number);
}

/** The number of the last line of each room. */
export function heard(lines: readonly ChatLineOut[]): Heard {
  const last = { table: 0, watch: 0 };
  for (const { room, number } of lines) last[room] = Math.max(last[room], number);
  return last;
}
