/** The agent is killed or replaced at moments at which something could be lost or done twice. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Screen } from '../../client/screen.ts';
import { agentOf, askForAgent } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { processes } from '../support/process-table.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;
const SIZE = { cols: 80, rows: 24 };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-moments-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Everything that it is shown. */
class Everything implements Screen {
  readonly #pieces: Uint8Array[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#pieces.push(bytes.slice());
    shown();
  }

  reset(): void {}
  resize(): void {}
}

const PIECE_BYTES = 16 * 1024;
/** As far ahead as a page pastes. */
const AHEAD_BYTES = 64 * 1024;

describe.skipIf(!hasKeeper)('an agent that is replaced and killed', () => {
  it('[F26] [F27] [K1] in the middle of a paste loses nothing of it in either direction, and repeats nothing', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const file = join(dir, 'pasted');
    const script = `stty raw -echo; printf ready; exec tee ${file}`;
    const { id } = await client.client.create({ ...SIZE, name: 'n', command: 'sh', args: ['-c', script] });
    const shown = new Everything();
    const session = client.client.attach(id, SIZE, shown, { isNew: true });
    await expect.poll(() => shown.bytes.toString()).toBe('ready');
    const pasted: Uint8Array[] = [];
    const paste = async () => {
      const piece = new TextEncoder().encode(`${pasted.length} `.repeat(PIECE_BYTES / 8));
      await client.until(() => session.unsentBytes <= AHEAD_BYTES);
      // Without an agent only a little input is kept; a page waits with the rest of a paste.
      if (session.type(piece)) pasted.push(piece);
      else await client.until(() => session.state.name === 'live');
    };
    for (const replace of [() => askForAgent(world.agent.pid), () => world.killAgent()]) {
      const agent = agentOf(world.agent.pid);
      await paste();
      replace();
      // The new one serves, and something was pasted since.
      while ((agentOf(world.agent.pid) ?? agent) === agent) await paste();
      for (let more = 0; more < 10; more++) await paste();
    }
    const whole = Buffer.concat(pasted);
    await expect.poll(() => shown.bytes.length).toBe('ready'.length + whole.length);
    expect(shown.bytes.subarray('ready'.length).equals(whole)).toBe(true);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  it.each([
    ['right after the request', async () => {}],
    ['when the program runs', untilProgram],
  ])(
    '[F26] [K1] while a session is created, %s, leaves one session, which a retry finds',
    async (_when, moment) => {
      await using world = await World.open({ agentProgram: BUILT_KEEPER });
      using client = await world.client();
      const create = () =>
        client.client.create({ ...SIZE, name: 'n', command: 'sleep', args: ['1000'], replaces: 'tab-1' });
      const agent = agentOf(world.agent.pid);
      const first = create().catch(() => undefined);
      await moment(world);
      world.killAgent();
      await first;
      await expect.poll(() => agentOf(world.agent.pid) ?? agent).not.toBe(agent);
      const created = async () => {
        await client.online();
        return create().catch(() => undefined);
      };
      await expect.poll(created).toBeDefined();
      const [one, other] = [await created(), await created()];
      expect(one?.id).toBe(other?.id);
      expect((await client.client.list()).map(({ id }) => id)).toEqual([one?.id]);
      await expect.poll(() => programsOf(world)).toHaveLength(1);
    },
  );
});

const programsOf = (world: World) =>
  processes().filter(({ parent, name }) => parent === world.agent.pid && name === 'sleep');

async function untilProgram(world: World): Promise<void> {
  await expect.poll(() => programsOf(world), { interval: 1 }).toHaveLength(1);
}
