/**
 * Nothing is lost or duplicated: numbered lines in both directions through real workerd, a real agent and real shells,
 * while connections are cut and the object is evicted, in an order given by a seed.
 *
 * HOLDFAST_CUTS and HOLDFAST_SEED make it longer and repeat it; a failure prints both.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFailed } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { seedsFor, tellStory } from '../support/property.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { TestRelay } from '../support/test-relay.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const CUTS = Number(process.env.HOLDFAST_CUTS ?? 12);

const FAULTS = ['client', 'agent', 'hibernate', 'close'] as const;

describe('streams through a failing network', () => {
  it.each(seedsFor('cuts'))(
    `[OU1] [OU2] [IN2] [IN4] every line arrives once and in order over ${CUTS} cuts (HOLDFAST_SEED=%d)`,
    (seed) =>
      tellStory('cuts', seed, async () => {
        const relay = await TestRelay.start();
        await using clientLeg = await CuttingProxy.to(relay.url);
        await using agentLeg = await CuttingProxy.to(relay.url);
        await using world = await World.open({ legs: { agent: agentLeg.url, client: clientLeg.url } }, relay);
        const dir = mkdtempSync(join(tmpdir(), 'holdfast-cuts-'));
        const sink = join(dir, 'typed');
        const client = await world.client();
        const printer = await client.open('sh', [
          '-c',
          'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.01; done',
        ]);
        const reader = await client.open('sh', ['-c', `stty raw -echo; echo ready; exec cat > ${sink}`]);
        await reader.screen.sees(/ready/);

        const random = seededRandom(seed);
        const story: string[] = [];
        const states = () =>
          `${client.client.state.name}, ${printer.session.state.name}, ${reader.session.state.name}`;
        onTestFailed(() => console.error([...story.slice(-20), `now: ${states()}`].join('\n')));
        const lastLine = () => Number(printer.screen.text.match(/line (\d+)\D*$/)?.[1] ?? 0);
        let typed = '';
        const type = () => {
          const line = `typed ${typed.split('\n').length}\n`;
          if (reader.session.type(new TextEncoder().encode(line))) typed += line;
        };
        for (let cut = 0; cut < CUTS; cut++) {
          type();
          const before = lastLine();
          const kind = random.pick(FAULTS);
          const target = random.int(before + 5, before + 24);
          story.push(`cut ${cut} at line ${before}: ${kind}, until line ${target}`);
          if (kind === 'client') clientLeg.cut();
          else if (kind === 'agent') agentLeg.cut();
          // workerd does not evict an object that is busy; a cut replaces the eviction then.
          else await relay.evict(kind).catch(() => clientLeg.cut());
          type();
          // An eviction may take its time: the line itself may be above the history by now.
          for (let last = lastLine(); last < target; last = lastLine())
            await printer.screen.sees(new RegExp(`line (?!${last}\\D*$)\\d+\\D*$`));
          await client.until(() => reader.session.state.name === 'live');
        }
        await client.until(() => reader.session.unsentBytes === 0);
        typeInto(printer.session, '\x03');
        await client.until(() => printer.session.state.name === 'exited');

        // Acknowledged means that the terminal has it; the program reads it a moment later.
        await expect.poll(() => readFileSync(sink, 'utf8')).toBe(typed);
        const lines = [...printer.screen.text.matchAll(/^line (\d+)$/gm)].map(([, n]) => Number(n));
        const first = lines[0] ?? 0;
        expect(lines).toEqual(lines.map((_, i) => first + i));
        expect(printer.session.lostBytes).toBe(0);
        rmSync(dir, { recursive: true });
      }),
    TEST_WITHIN_MS + CUTS * 10_000,
  );
});
