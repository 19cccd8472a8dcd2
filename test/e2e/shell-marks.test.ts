/** A real agent as it is installed: its shells know the nonce of their session, and keep it over a crash. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-shell-marks-'));
  writeFileSync(join(dir, '.bashrc'), "PS1='READY> '\n");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const bash = onPath('bash');
const unless = unlessMissing('bash', bash);

/** What the shell knows, and how many of its variables a program gets. */
const ASK = 'echo "<$_holdfast_nonce $_holdfast_n $(env | grep -c HOLDFAST)>"\n';
const ANSWER = /<([\w-]{22}) \d+ 0>/;

it.skipIf(bash === undefined)(
  `a shell is started with marks, and so is its heir after a crash${unless}`,
  async () => {
    await using world = await World.open({ home: dir, agentFlags: ['--state-dir', join(dir, 'state')] });
    const client = await world.client();
    const { id } = await client.client.create({ cols: 80, rows: 24, command: 'bash' });
    const { session, screen } = client.attach(id);
    await screen.sees(/READY>$/);
    typeInto(session, ASK);
    await screen.sees(ANSWER);
    const [, nonce] = ANSWER.exec(screen.text) ?? [];
    expect(readdirSync(join(dir, 'state/shell'))).toEqual(['marks.bash']);
    expect((await client.client.list())[0]?.foreground).toBe('bash');

    await world.crashAgent();
    await client.until(() => {
      const { state } = client.client;
      return state.name === 'live' && state.agent.state === 'online' && state.agent.generation >= 2;
    });
    const again = (await world.client()).attach(id);
    await again.screen.sees(/new shell below[\s\S]*READY>$/);
    typeInto(again.session, ASK);
    await again.screen.sees(/new shell below[\s\S]*<[\w-]{22} \d+ 0>/);
    expect(ANSWER.exec(again.screen.text.split('new shell below')[1] ?? '')?.[1]).toBe(nonce);
  },
);

it.skipIf(bash === undefined)(`a shell is started as it is with --shell-marks off${unless}`, async () => {
  await using world = await World.open({ home: dir, agentFlags: ['--shell-marks', 'off'] });
  const client = await world.client();
  const { id } = await client.client.create({ cols: 80, rows: 24, command: 'bash' });
  const { session, screen } = client.attach(id);
  await screen.sees(/READY>$/);
  typeInto(session, ASK);
  await screen.sees(/< {2}0>/);
});
