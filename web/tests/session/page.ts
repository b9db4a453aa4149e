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
  onclose = (_event: { code: number; reason: string }) => undefined as void;
  constructor(readonly address: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
    this.onclose({ code: 1000, reason: "" });
  }
  open() {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }
}

/** A page without anything on it, and sockets that can be looked at. */
export function stubPage() {
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { origin: "http://here" });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("document", { addEventListener: () => undefined, removeEventListener: () => undefined, visibilityState: "visible" });
}
