// Why a position cannot be, or a move cannot be played, in the reader's language.
import { ruleWords } from "../announce/rules";
import { say, type Facts, type Say } from "../announce/refusals";
import { cardWords, gemName, tileWords } from "../announce/words";
import type { GameDataOut, ProblemOut } from "../api/messages";
import { m } from "../paraglide/messages";

// The types list the codes, so one without words here does not compile.
const PROBLEMS: Record<Exclude<ProblemOut["code"], "rule">, Say> = {
  not_a_position: m.analysis_wrong_line,
  tokens_many: m.analysis_wrong_tokens_many,
  tokens_few: m.analysis_wrong_tokens_few,
  time_token: m.analysis_wrong_time_token,
  card_twice: m.analysis_wrong_card_twice,
  unnamed: m.analysis_wrong_sight,
  card_count: m.analysis_wrong_card_count,
  wrong_tier: m.analysis_wrong_wrong_tier,
  market_gap: m.analysis_wrong_market_gap,
  tile_count: m.analysis_wrong_tile_count,
  tile_twice: m.analysis_wrong_tile_twice,
  hand_limit: m.analysis_wrong_hand_limit,
  sight: m.analysis_wrong_sight,
  token_limit: m.analysis_wrong_token_limit,
  far_over: m.analysis_wrong_far_over,
  claim: m.analysis_wrong_claim,
  tile_demand: m.analysis_wrong_tile_demand,
  reason: m.analysis_wrong_reason,
  passes: m.analysis_wrong_passes,
  goal_reached: m.analysis_wrong_goal_reached,
  avengers_missing: m.analysis_wrong_avengers,
  avengers_wrong: m.analysis_wrong_avengers,
  card: m.analysis_wrong_card,
};

export function problemWords({ code, facts, sentence, rule }: ProblemOut, data: GameDataOut | null): string {
  if (code === "rule") return rule && data ? ruleWords(rule, data.theme) : sentence;
  const read: Facts = { ...facts, sentence, player: m.analysis_player({ n: Number(facts.seat ?? 0) + 1 }) };
  if (data && typeof facts.letter === "string") read.gem = gemName(data.theme, facts.letter);
  const card = data?.cards[Number(facts.card) - 1];
  if (data && card) read.card = cardWords(data.theme, card);
  const tile = data?.tiles[Number(facts.tile) - 1];
  if (data && tile) read.tile = tileWords(data, tile);
  return say(PROBLEMS[code as keyof typeof PROBLEMS], read);
}
