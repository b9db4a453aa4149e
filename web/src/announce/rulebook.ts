// The rules of a game, told in the reader's language with the numbers of the table. A rule is one message, called like its
// heading in the variant's rules.md; a test holds the English ones to the words there.
import type { GameDataOut, TableOptions } from "../api/messages";
import { m } from "../paraglide/messages";

type Printed = Pick<
  GameDataOut,
  "theme" | "tile_kind" | "goal_kind" | "has_time" | "has_avengers" | "goal" | "token_limit" | "hand_limit"
>;
type Agreed = Pick<TableOptions, "house" | "start">;

/** What a rule depends on: the printed game, and what a table has agreed on. */
export interface Ruleset extends Printed {
  take_fewer: boolean;
  open_reserves: boolean;
  start: string;
}
type Switch = "goal" | "token_limit" | "hand_limit" | "take_fewer" | "open_reserves";

interface Rule {
  say: (rules: Ruleset) => string;
  /** only in games, or at tables, that are so */
  when?: (rules: Ruleset) => boolean;
  /** the house rule that changes it */
  by?: Switch;
  /** the printed rules say nothing here */
  ruling?: (rules: Ruleset) => boolean;
}

/** A rule as it is read. */
export interface Told {
  text: string;
  isHouse: boolean;
  isRuling: boolean;
}

export function rulesetOf(printed: Printed, agreed?: Agreed | null): Ruleset {
  const house = agreed?.house;
  return {
    ...printed,
    goal: house?.goal ?? printed.goal,
    token_limit: house?.token_limit ?? printed.token_limit,
    hand_limit: house?.hand_limit ?? printed.hand_limit,
    take_fewer: house?.take_fewer ?? false,
    open_reserves: house?.open_reserves ?? true,
    start: agreed?.start ?? "random",
  };
}

const SWITCHES: readonly Switch[] = ["goal", "token_limit", "hand_limit", "take_fewer", "open_reserves"];
const differs = (rules: Ruleset, printed: Printed, by: Switch) => rules[by] !== rulesetOf(printed)[by];
export const hasHouseRules = (rules: Ruleset, printed: Printed) => SWITCHES.some((by) => differs(rules, printed, by));

// What the wild token is called goes with the theme.
const gold = ({ theme }: Ruleset) => theme !== "marvel";
const grey = ({ theme }: Ruleset) => theme === "marvel";
const noble = ({ tile_kind }: Ruleset) => tile_kind === "noble";
const location = ({ tile_kind }: Ruleset) => tile_kind === "location";
const city = ({ tile_kind }: Ruleset) => tile_kind === "city";
const points = ({ goal_kind }: Ruleset) => goal_kind === "points";
const gauntlet = ({ goal_kind }: Ruleset) => goal_kind === "gauntlet";
const always = () => true;

/** The rules by the part of the page they stand in. */
export const SECTIONS = {
  setup: [
    { say: m.rules_tokens_for_two_three_and_four_players },
    { say: m.rules_three_tiers_of_cards },
    { say: m.rules_each_tier_is_shuffled_by_itself },
    { say: m.rules_four_cards_of_each_tier_face_up },
    { say: m.rules_colours_are_spread_evenly },
    { say: m.rules_nobles_on_the_table, when: noble },
    { say: m.rules_locations_on_the_table, when: location },
    { say: m.rules_no_nobles, when: city },
    { say: m.rules_three_cities_for_any_number_of_players, when: city },
    { say: m.rules_a_city_has_two_faces, when: city },
    { say: m.rules_the_start_player_is_random, ruling: always },
    { say: m.rules_play_goes_clockwise },
  ],
  turn: [{ say: m.rules_one_action_a_turn }],
  take3: [
    { say: m.rules_take_three_different_colours },
    { say: m.rules_fewer_colours_left_in_the_bank, when: ({ take_fewer }) => !take_fewer, ruling: always },
    { say: m.rules_taking_fewer_by_choice_is_not_allowed, when: ({ take_fewer }) => !take_fewer },
    { say: m.rules_fewer_tokens_by_choice, when: ({ take_fewer }) => take_fewer, by: "take_fewer" },
    { say: m.rules_gold_is_never_taken, when: gold },
    { say: m.rules_grey_and_green_are_never_taken, when: grey },
  ],
  take2: [{ say: m.rules_take_two_of_one_colour }, { say: m.rules_take_two_needs_a_pile_of_four }],
  reserve: [
    { say: m.rules_reserve_a_face_up_card },
    { say: m.rules_reserve_the_top_card_of_a_deck },
    { say: m.rules_a_reservation_brings_gold, when: gold },
    { say: m.rules_gold_cannot_be_declined, when: gold, ruling: always },
    { say: m.rules_reserve_without_gold, when: gold },
    { say: m.rules_grey_comes_with_a_reservation, when: grey, ruling: always },
    { say: m.rules_at_most_three_reserved_cards, by: "hand_limit" },
    { say: m.rules_reserved_cards_are_never_discarded },
  ],
  buy: [
    { say: m.rules_buy_a_face_up_card },
    { say: m.rules_buy_a_reserved_card },
    { say: m.rules_gold_stands_for_any_colour, when: gold },
    { say: m.rules_gold_may_be_paid_by_choice, when: gold, ruling: always },
    { say: m.rules_grey_stands_for_any_colour, when: grey, ruling: always },
    { say: m.rules_overpaying_is_not_allowed, ruling: always },
    { say: m.rules_paid_tokens_go_back_to_the_bank },
  ],
  pass: [
    { say: m.rules_pass_only_when_nothing_else_is_possible, ruling: grey },
    { say: m.rules_who_passes_shows_the_reserved_cards, ruling: always },
  ],
  card: [
    { say: m.rules_reading_a_card },
    { say: m.rules_bonuses_lower_the_price },
    { say: m.rules_a_price_never_falls_below_zero },
    { say: m.rules_a_purchase_may_cost_nothing },
  ],
  after: [
    { say: m.rules_the_place_is_refilled_at_once },
    { say: m.rules_an_empty_deck_leaves_the_place_empty },
    { say: m.rules_return_down_to_ten_tokens, by: "token_limit" },
    { say: m.rules_any_token_may_be_returned },
    { say: m.rules_gold_counts_towards_the_limit, when: gold, ruling: always },
    { say: m.rules_grey_and_green_count_towards_the_limit, when: grey },
    { say: m.rules_the_new_card_is_seen_before_returning },
    { say: m.rules_no_returning_at_ten_or_below },
    { say: m.rules_the_noble_comes_after_returning, when: (rules) => !location(rules), ruling: always },
    { say: m.rules_the_location_comes_after_returning, when: location, ruling: always },
  ],
  tiles: [
    { say: m.rules_a_noble_comes_at_the_end_of_a_turn, when: noble },
    { say: m.rules_nobles_look_at_bonuses_only, when: noble },
    { say: m.rules_noble_on_a_token_turn, when: noble },
    { say: m.rules_a_noble_cannot_be_refused, when: noble },
    { say: m.rules_one_noble_a_turn, when: noble },
    { say: m.rules_the_player_chooses_among_nobles, when: noble },
    { say: m.rules_nobles_are_not_replaced, when: noble },
    { say: m.rules_a_location_comes_at_the_end_of_a_turn, when: location },
    { say: m.rules_locations_look_at_bonuses_only, when: location },
    { say: m.rules_a_location_cannot_be_refused, when: location },
    { say: m.rules_one_location_a_turn, when: location },
    { say: m.rules_locations_are_not_replaced, when: location, ruling: always },
    { say: m.rules_a_city_comes_at_the_end_of_a_turn, when: city },
    { say: m.rules_a_city_asks_for_points_and_bonuses, when: city },
    { say: m.rules_one_other_colour, when: city },
    { say: m.rules_tiles_marks, when: city },
    { say: m.rules_the_player_chooses_among_cities, when: city },
    { say: m.rules_a_city_cannot_be_refused, when: city },
    { say: m.rules_a_city_brings_no_points, when: city },
    { say: m.rules_cities_are_not_replaced, when: city },
  ],
  time: [
    { say: m.rules_the_first_tier_three_card_brings_green },
    { say: m.rules_never_a_second_green_token },
    { say: m.rules_green_is_never_spent },
    { say: m.rules_green_is_never_returned },
    { say: m.rules_a_free_tier_three_card_with_ten_tokens, by: "token_limit" },
  ],
  avengers: [
    { say: m.rules_characters_carry_avengers_symbols },
    { say: m.rules_three_symbols_take_the_avengers_tile },
    { say: m.rules_the_avengers_tile_brings_three_points },
    { say: m.rules_the_avengers_tile_moves_only_to_strictly_more },
    { say: m.rules_the_avengers_tile_is_no_action },
  ],
  end: [
    { say: m.rules_fifteen_points_end_the_game, when: points, by: "goal" },
    { say: m.rules_the_gauntlet_asks_for_three_things_at_once, when: gauntlet, by: "goal" },
    { say: m.rules_fifteen_points_end_nothing, when: city },
    { say: m.rules_a_city_ends_the_game, when: city },
    { say: m.rules_the_last_round_is_played_out },
    { say: m.rules_most_points_win, when: points, by: "goal" },
    { say: m.rules_the_gauntlet_is_judged_at_the_end_of_the_round, when: gauntlet },
    { say: m.rules_the_gauntlet_taken_away_and_the_game_goes_on, when: gauntlet },
    { say: m.rules_the_gauntlet_can_be_reached_anew, when: gauntlet },
    { say: m.rules_the_last_player_of_a_round_wins_at_once, when: gauntlet },
    { say: m.rules_several_fulfil_the_gauntlet, when: gauntlet },
    { say: m.rules_the_avengers_tile_breaks_a_tie, when: gauntlet },
    { say: m.rules_the_owner_of_a_city_wins, when: city },
    { say: m.rules_several_owners, when: city },
    { say: m.rules_fewest_bought_cards_break_a_tie },
    { say: m.rules_a_shared_victory },
    { say: m.rules_ranks_without_a_city, when: city, ruling: always },
    { say: m.rules_stalemate, ruling: always },
    { say: m.rules_nobles_that_are_due_come_before_a_stalemate, when: noble, ruling: always },
    { say: m.rules_stalemate_with_and_without_the_gauntlet, when: gauntlet, ruling: always },
    { say: m.rules_endless_play, ruling: always },
  ],
  hidden: [
    { say: m.rules_what_everybody_sees, ruling: always },
    { say: m.rules_a_card_reserved_face_up_is_known_to_all, when: ({ open_reserves }) => open_reserves, ruling: always },
    { say: m.rules_open_reserves, when: ({ open_reserves }) => !open_reserves, by: "open_reserves", ruling: always },
    { say: m.rules_a_card_reserved_blind_is_hidden },
    { say: m.rules_deck_order_is_hidden },
  ],
} satisfies Record<string, Rule[]>;

export type Section = keyof typeof SECTIONS;

/** Sections that not every game has. */
const NEEDS: Partial<Record<Section, "has_time" | "has_avengers">> = { time: "has_time", avengers: "has_avengers" };

/** The rules of a section that hold here. */
export function held(section: Section, rules: Ruleset): Rule[] {
  const needed = NEEDS[section];
  if (needed && !rules[needed]) return [];
  return (SECTIONS[section] as Rule[]).filter(({ when }) => when?.(rules) ?? true);
}

export const told = (section: Section, rules: Ruleset, printed: Printed): Told[] =>
  held(section, rules).map(({ say, by, ruling }) => ({
    text: say(rules),
    isHouse: by !== undefined && differs(rules, printed, by),
    isRuling: ruling?.(rules) ?? false,
  }));
