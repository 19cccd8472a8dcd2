/** docs/configuration.md matches the code and lists everything that the code reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands/commands.ts';
import { currentReference, REFERENCE_FILE } from '../../tools/write-reference.ts';
import { SETTINGS } from '../../vm-agent/settings/config.ts';
import { productFiles, ROOT } from './imports.ts';

const reference = readFileSync(join(ROOT, REFERENCE_FILE), 'utf8');

describe('docs/configuration.md', () => {
  it('is what `npx node tools/write-reference.ts` writes', () => {
    expect(reference).toBe(currentReference());
  });

  it('lists every variable that a program of ours reads', () => {
    const named = productFiles().flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(?:HOLDFAST|PTY|RELAY)_[A-Z_]+\b(?!:)/g),
    ]);
    const variables = new Set(named.map(([name]) => name).filter((name) => !INTERNAL.has(name)));
    expect(variables.size).toBeGreaterThan(15);
    expect([...variables].filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  });

  it('lists every option of every command', () => {
    for (const { name, options } of COMMANDS)
      for (const option of Object.keys(options)) expect(reference, name).toContain(`--${option}`);
  });
});

/** Constants that look like settings, and what our programs tell each other and their scripts. */
const INTERNAL = new Set([
  'RELAY_SETTINGS',
  'HOLDFAST_KEEPER_FD',
  'HOLDFAST_KEEPER_CAN',
  'HOLDFAST_KEEPER_VERSION',
  'HOLDFAST_MARKS',
  'HOLDFAST_SERVICE',
]);

describe('agent.env.example', () => {
  const example = readFileSync(join(ROOT, 'vm-agent/install/agent.env.example'), 'utf8');

  it.each(Object.values(SETTINGS))('lists $variable with its default', (setting) => {
    const { variable, fallback } = setting;
    // One that depends on other settings is given, as the unit needs it.
    const isGiven = fallback === undefined || 'fallbackText' in setting;
    const line = isGiven ? `${variable}=` : `#${variable}=${fallback}`;
    expect(example.split('\n').some((one) => (isGiven ? one.startsWith(line) : one === line))).toBe(true);
  });
});
