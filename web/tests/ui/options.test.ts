import { describe, expect, it } from "vitest";
import type { AgreedOptions, GameDataOut } from "../../src/api/messages";
import { OptionsDraft } from "../../src/ui/options.svelte";

const printed = { token_limit: 10, hand_limit: 3 } as GameDataOut;

describe("what a table agrees on", () => {
  it("is private and as printed unless somebody says otherwise", () => {
    const draft = new OptionsDraft();
    draft.print(printed);
    expect(draft.options()).toEqual({
      house: { take_fewer: false, goal: null, open_reserves: true, token_limit: 10, hand_limit: 3 },
      clock: { kind: "none" },
      takeback: "consent",
      watch: "link",
    });
  });

  it.each<AgreedOptions["clock"]>([
    { kind: "none" },
    { kind: "move", seconds: 45 },
    { kind: "total", seconds: 630, increment: 5 },
    { kind: "days", days: 2 },
  ])("comes back as it was: %j", (clock) => {
    const agreed: AgreedOptions = {
      house: { take_fewer: true, goal: 21, open_reserves: false, token_limit: 9, hand_limit: 2 },
      clock,
      takeback: "never",
      watch: "nobody",
    };
    const draft = new OptionsDraft(agreed);
    draft.print(printed);
    expect(draft.options()).toEqual(agreed);
  });
});
