// Seconds that pass between two states of the server.
const TICK = 250;

export class Countdown {
  #now = $state(performance.now());

  /** The whole seconds left of what was `left` when the state was `received`. */
  left(left: number, received: number): number {
    return Math.max(0, Math.ceil(left - Math.max(0, this.#now - received) / 1000));
  }

  /** Count while there is something to count; for an effect. */
  run(isNeeded: boolean): (() => void) | undefined {
    if (!isNeeded) return;
    this.#now = performance.now();
    const timer = setInterval(() => (this.#now = performance.now()), TICK);
    return () => clearInterval(timer);
  }
}
