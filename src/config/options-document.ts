import { flagOf, OPTION_GROUPS, type OptionName, optionOf, variableOf } from './options.js';

const INTRODUCTION = `# Launch options

<!-- Generated from src/config by scripts/generate.mjs. Do not edit. -->

An option is taken from the command line, else from its variable, else from the configuration file (keys like
\`http_addr\`), else by default.
`;

/** The text of `docs/options.md`. */
export function render(): string {
  const groups = OPTION_GROUPS.map(([heading, names]) => {
    const rows = names.map((name) => `${row(name)}\n`).join('');
    return `## ${heading}\n\n| option | variable | default | meaning |\n|---|---|---|---|\n${rows}`;
  });
  return [INTRODUCTION, ...groups].join('\n');
}

function row(name: OptionName): string {
  const { help, variableOnly, otherwise, shownDefault, isSwitch } = optionOf(name);
  const flag = variableOnly === true ? '' : `\`--${flagOf(name)}\``;
  const byDefault =
    isSwitch === true
      ? 'off'
      : (shownDefault ?? (otherwise === undefined ? '' : String(otherwise)));
  const cells = [flag, `\`${variableOf(name)}\``, byDefault, help.replace(/\s*\n\s*/g, ' ')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
