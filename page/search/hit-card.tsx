import { useSignal } from '@preact/signals';
import type { Hit } from '../api/client.js';
import { partsOf } from './hit-parts.js';
import { MarkedText } from './marked-text.js';
import { ScoreDetails } from './score-details.js';

const FEW_FACTS = 4;
const DIGITS = 3;
/** A text of so many characters is cut at some lines until all is asked for. */
const LONG = 200;

/** One hit: what people look for first, the rest on demand, and why it stands here. */
export function HitCard({ hit, position }: { hit: Hit; position: number }) {
  const isExplained = useSignal(false);
  const showsAll = useSignal(false);
  const failed = useSignal(false);
  const { title, text, image, facts } = partsOf(hit);
  const isLong = [title, ...facts.map(([, value]) => value)].some(({ length }) => length > LONG);
  const shown = showsAll.value ? facts : facts.slice(0, FEW_FACTS);
  return (
    <article class={showsAll.value ? 'hit whole' : 'hit'} tabIndex={-1} data-hit={position}>
      {image !== undefined && !failed.value && (
        <img
          src={image}
          alt=""
          loading="lazy"
          referrerpolicy="no-referrer"
          onError={() => {
            failed.value = true;
          }}
        />
      )}
      <div class="about">
        <h2>
          <MarkedText text={title} />
        </h2>
        {text !== undefined && (
          <p class="text">
            <MarkedText text={text} />
          </p>
        )}
        <dl>
          {shown.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <MarkedText text={value} />
              </dd>
            </div>
          ))}
        </dl>
        <div class="actions">
          <button
            type="button"
            class="quiet"
            aria-expanded={isExplained.value}
            onClick={() => {
              isExplained.value = !isExplained.value;
            }}
          >
            Why here? <span class="number">{(hit._rankingScore ?? 1).toFixed(DIGITS)}</span>
          </button>
          {(facts.length > FEW_FACTS || isLong) && (
            <button
              type="button"
              class="quiet"
              aria-expanded={showsAll.value}
              onClick={() => {
                showsAll.value = !showsAll.value;
              }}
            >
              {showsAll.value ? 'Fewer fields' : `All ${facts.length} fields`}
            </button>
          )}
        </div>
        {isExplained.value && <ScoreDetails details={hit._rankingScoreDetails ?? {}} />}
      </div>
    </article>
  );
}
