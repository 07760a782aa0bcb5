import type { RuleDetails } from '../api/client.js';

const PERCENT = 100;
const RULES: Readonly<Record<string, string>> = {
  words: 'Words found',
  typo: 'Few typos',
  proximity: 'Words close together',
  attribute: 'Where it matches',
  attributeRank: 'Attribute it matches in',
  wordPosition: 'Early in the attribute',
  exactness: 'Exact words',
  vectorSort: 'Meaning',
  pin: 'Pinned',
  skipped: 'Not compared: out of time',
};
const MATCH_TYPES: Readonly<Record<string, string>> = {
  exactMatch: 'the attribute is the query',
  matchesStart: 'starts with the query',
  noExactMatch: 'contains words',
};

/** Why a hit ranks where it does: what each rule said, in the order in which rules decide. */
export function ScoreDetails({ details }: { details: Readonly<Record<string, RuleDetails>> }) {
  const rules = Object.entries(details).sort(([, a], [, b]) => a.order - b.order);
  if (rules.length === 0) {
    return (
      <p class="muted">Without words or a sort, no rule decides: hits come in stored order.</p>
    );
  }
  return (
    <ol class="score">
      {rules.map(([rule, detail]) => (
        <li key={rule}>
          <span class="rule">{RULES[rule] ?? rule}</span>
          <ScoreBar score={scoreOf(detail)} />
          <span class="fact">{factOf(detail)}</span>
        </li>
      ))}
    </ol>
  );
}

function ScoreBar({ score }: { score: number | undefined }) {
  if (score === undefined) return <span class="bar none" />;
  return (
    <span class="bar">
      <span class="fill" style={{ inlineSize: `${score * PERCENT}%` }} />
    </span>
  );
}

function scoreOf({ score, similarity }: RuleDetails): number | undefined {
  return score ?? (typeof similarity === 'number' ? similarity : undefined);
}

/** The numbers behind a score, in words. */
function factOf(detail: RuleDetails): string {
  const score = scoreOf(detail);
  const facts: string[] = [];
  if (score !== undefined) facts.push(`${Math.round(score * PERCENT)} %`);
  if (detail.maxMatchingWords !== undefined) {
    facts.push(`${detail.matchingWords} of ${detail.maxMatchingWords} words`);
  }
  if (detail.typoCount !== undefined) facts.push(`${detail.typoCount} typos`);
  if (detail.matchType !== undefined) facts.push(MATCH_TYPES[String(detail.matchType)] ?? '');
  if ('value' in detail) facts.push(`value: ${JSON.stringify(detail.value)}`);
  if (detail.distance !== undefined) facts.push(`${detail.distance} m away`);
  if (detail.position !== undefined) facts.push(`position ${detail.position}`);
  return facts.join(' · ');
}
