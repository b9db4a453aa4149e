// The rule that forbids a move, by its code, in the reader's language. Only pages with a game on them need these words.
import type { Theme } from "../art/types";
import type { RuleOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { say, type Facts, type Say } from "./refusals";
import { gemCount, gemName, listed } from "./words";

// The types list the codes, so a rule without words here does not compile.
const RULES: Record<RuleOut["code"], Say> = {
  game_over: m.rule_game_over,
  return_first: m.rule_return_first,
  claim_first: m.rule_claim_first,
  return_above_the_limit: m.rule_return_above_the_limit,
  claim_among_several: m.rule_claim_among_several,
  pile_for_two: m.rule_pile_for_two,
  not_in_the_bank: m.rule_not_in_the_bank,
  three_colours: m.rule_three_colours,
  deck_empty: m.rule_deck_empty,
  place_empty: m.rule_place_empty,
  reserve_full: m.rule_reserve_full,
  not_in_the_reserve: m.rule_not_in_the_reserve,
  price_too_high: m.rule_price_too_high,
  pay_tokens_in_hand: m.rule_pay_tokens_in_hand,
  time_never_spent: m.rule_time_never_spent,
  overpaying: m.rule_overpaying,
  whole_price: m.rule_whole_price,
  can_still_move: m.rule_can_still_move,
  time_never_returned: m.rule_time_never_returned,
  return_tokens_in_hand: m.rule_return_tokens_in_hand,
  no_tile_there: m.rule_no_tile_there,
  demand_not_met: m.rule_demand_not_met,
  other_colour_not_met: m.rule_other_colour_not_met,
  points_not_met: m.rule_points_not_met,
  not_a_move: m.rule_not_a_move,
};

/** `3r1k` in words; `-` is nothing. */
const amounts = (theme: Theme, text: string) =>
  listed([...text.matchAll(/(\d+)(\D)/g)].map(([, n, letter]) => gemCount(theme, letter, Number(n)))) || m.tell_none();

/** The facts of a rule as they are read: letters become the names of gems. */
function readable(facts: Facts, theme: Theme): Facts {
  const read = { ...facts };
  if (typeof facts.gem === "string") read.gem = gemName(theme, facts.gem);
  for (const name of ["price", "demand"]) if (typeof facts[name] === "string") read[name] = amounts(theme, facts[name]);
  return read;
}

export const ruleWords = ({ code, facts }: RuleOut, theme: Theme) => say(RULES[code], readable(facts, theme));
