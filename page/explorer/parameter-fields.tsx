import type { Signal } from '@preact/signals';
import type { Operation } from './document.js';
import type { Filled } from './exchange.js';

/** One field for each parameter; empty ones are not sent. */
export function ParameterFields({
  operation,
  filled,
}: {
  operation: Operation;
  filled: Signal<Filled>;
}) {
  return (
    <>
      {operation.parameters.map(({ name, in: place, required, description = '' }) => (
        <div class="field" key={name}>
          <label for={`parameter-${name}`}>
            {name} <span class="muted">{place}</span>
          </label>
          <input
            id={`parameter-${name}`}
            type="text"
            autocomplete="off"
            required={required === true}
            value={filled.value.values[name] ?? ''}
            aria-describedby={`about-${name}`}
            onInput={(event) => {
              const values = { ...filled.value.values, [name]: event.currentTarget.value };
              filled.value = { ...filled.value, values };
            }}
          />
          <p class="muted" id={`about-${name}`}>
            {description}
          </p>
        </div>
      ))}
    </>
  );
}
