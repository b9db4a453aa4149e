// What a page has in a browser, for tests of what lives there.
import { vi } from "vitest";

/** A socket that does what the test says. */
export class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = FakeSocket.CONNECTING;
  sent: string[] = [];
  onopen = () => undefined as void;
  onmessage = (_event: { data: string }) => undefined as void;
  onclose: ((_event: { code: number; reason: string }) => void) | null = () => undefined;
  constructor(readonly address: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
    this.onclose?.({ code: 1000, reason: "" });
  }
  open() {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }
}

/** What the page listens for, so that a test can let it happen. */
export const happens = new Map<string, () => void>();

/** A page without anything on it, and sockets that can be looked at. */
export function stubPage() {
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { origin: "http://here" });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("CloseEvent", class {
    code: number;
    constructor(_name: string, { code }: { code: number }) {
      this.code = code;
    }
  });
  happens.clear();
  const listen = (name: string, heard: () => void) => happens.set(name, heard);
  vi.stubGlobal("addEventListener", listen);
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("document", { addEventListener: listen, removeEventListener: () => undefined, visibilityState: "visible" });
}
