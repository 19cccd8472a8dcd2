/** How many values a JSON text has, without parsing it. */
import { expect, it } from 'vitest';
import { JSON_VALUES_MAX } from '../../../../protocol/limits.ts';
import { hasMoreValues } from '../../../../worker/api/request/json-values.ts';
import { ApiClient } from '../../../support/api-client.ts';
import { connectAgent } from '../../../support/relay-story.ts';
import { sharedRelays } from '../../../support/shared-relays.ts';

const relays = sharedRelays();

/** The smallest limit that the text does not exceed. */
function valuesOf(text: string): number {
  for (let most = 1; ; most++) if (!hasMoreValues(text, most)) return most;
}

it.each([
  ['', 1],
  ['"a"', 1],
  ['{"data":"x"}', 2],
  ['[1,2,3]', 4],
  ['[[[]]]', 4],
  ['{"data":"[[[,,,{{{"}', 2],
  ['{"data":"\\\\\\"[[["}', 2],
  ['{"data":"\\\\","b":[]}', 4],
  ['"[[[ without an end', 1],
  ['"ends with \\\\', 1],
])('[SEC21] [RL24] %s is counted without what is in its strings', (text, values) => {
  expect(valuesOf(text)).toBe(values);
});

it('[SEC21] [RL24] a body of many lists is refused before it is parsed', async () => {
  const relay = await relays.onWorkerd();
  await connectAgent(relay);
  const api = await ApiClient.of(relay);
  const data = Array.from({ length: JSON_VALUES_MAX }, () => []);
  const { status, body } = await api.ask('POST', '/sessions/s1/input', { data });
  expect([status, body]).toMatchObject([400, { error: { code: 'bad_json' } }]);
});
