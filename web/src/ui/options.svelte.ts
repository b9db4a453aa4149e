// What a table agrees on, while somebody is still choosing.
import type { AgreedOptions, GameDataOut } from "../api/messages";

type Clock = NonNullable<AgreedOptions["clock"]>["kind"];

export class OptionsDraft {
  goal = $state<number | null>(null);
  takeFewer = $state(false);
  openReserves = $state(true);
  /** As printed until somebody writes another number. */
  tokenLimit = $state<number>();
  handLimit = $state<number>();
  clock = $state<Clock>("none");
  seconds = $state(60);
  minutes = $state(15);
  increment = $state(10);
  days = $state(3);
  takeback = $state<NonNullable<AgreedOptions["takeback"]>>("consent");
  watch = $state<NonNullable<AgreedOptions["watch"]>>("link");

  constructor(agreed: AgreedOptions = {}) {
    const { house, clock } = agreed;
    this.goal = house?.goal ?? null;
    this.takeFewer = house?.take_fewer ?? false;
    this.openReserves = house?.open_reserves ?? true;
    this.tokenLimit = house?.token_limit;
    this.handLimit = house?.hand_limit;
    this.takeback = agreed.takeback ?? "consent";
    this.watch = agreed.watch ?? "link";
    if (!clock) return;
    this.clock = clock.kind;
    if (clock.kind === "move") this.seconds = clock.seconds ?? this.seconds;
    if (clock.kind === "total") {
      this.minutes = (clock.seconds ?? 60 * this.minutes) / 60;
      this.increment = clock.increment ?? this.increment;
    }
    if (clock.kind === "days") this.days = clock.days ?? this.days;
  }

  /** The printed numbers, where nothing else was said. */
  print({ token_limit, hand_limit }: GameDataOut) {
    this.tokenLimit ??= token_limit;
    this.handLimit ??= hand_limit;
  }

  options(): AgreedOptions {
    const clocks = {
      none: { kind: "none" as const },
      move: { kind: "move" as const, seconds: this.seconds },
      total: { kind: "total" as const, seconds: Math.round(this.minutes * 60), increment: this.increment },
      days: { kind: "days" as const, days: this.days },
    };
    const house = {
      take_fewer: this.takeFewer,
      goal: this.goal,
      open_reserves: this.openReserves,
      token_limit: this.tokenLimit,
      hand_limit: this.handLimit,
    };
    return { house, clock: clocks[this.clock], takeback: this.takeback, watch: this.watch };
  }
}
