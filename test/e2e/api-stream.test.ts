/** The stream of a session over real HTTP connections that break, stall and reconnect. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { GATHER_MS } from '../../worker/api/stream.ts';
import { ApiClient } from '../support/api-client.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { TestRelay } from '../support/test-relay.ts';
import { typeInto } from '../support/type-into.ts';
import { untilAsleep, untilAtRest } from '../support/until-asleep.ts';
import { World } from '../support/world.ts';
import { LINES, line, PRINTER, Reader, typeOnce } from './stream-reader.ts';

const relays = sharedRelays();

/** A multiple of six: `HOLDFAST_CUTS=240 npm test -- api-stream` reconnects more often. */
const CHUNKS = Number(process.env.HOLDFAST_CUTS ?? 24);
/** Of them all together; while one waits for the agent to come back, so do the others. */
const STREAMS = 3;

const HASTY_AGENT = fileURLToPath(new URL('../support/hasty-agent.ts', import.meta.url));

/** They share a machine. */
const IN_TURN = { concurrent: false } as const;

// Most of the stories below wait, so the groups run in parallel.
describe.concurrent('the events of a stream', () => {
  let world: World;
  let api: ApiClient;
  beforeAll(async () => {
    world = await World.open({}, await relays.onWorkerd());
    api = await world.api();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it(
    '[R2] are a snapshot, then data, then the exit with its code; after that 204',
    IN_TURN,
    async ({ expect }) => {
      const { id } = await api.create({ args: ['-c', 'stty -echo; echo ready; read x; echo bye; exit 7'] });
      await api.waitFor(id, { text: 'ready' });
      using stream = await api.stream(id);
      expect(await stream.next()).toMatchObject({ name: 'snapshot' });
      await api.type(id, '\n');
      expect(await stream.next()).toMatchObject({ name: 'data', data: { data: 'bye\r\n' } });
      expect(await stream.next()).toMatchObject({ name: 'exit', data: { code: 7, signal: null } });
      expect(await stream.next(), 'the response ends').toBeUndefined();
      expect(await api.tryStream(id, '', { 'Last-Event-ID': stream.lastId ?? '' })).toBe(204);
      // A client that comes later gets the same.
      using late = await api.stream(id);
      expect((await late.next())?.data.data).toMatch(/bye/);
      expect(await late.next()).toMatchObject({ name: 'exit', data: { code: 7 } });
    },
  );

  it('[R2] are few even if output arrives character by character', IN_TURN, async ({ expect }) => {
    const letters = 200;
    const program = `stty -echo; echo ready; read x; for i in $(seq ${letters}); do printf x; sleep 0.002; done`;
    const { id } = await api.create({ args: ['-c', program] });
    await api.waitFor(id, { text: 'ready' });
    const { offset } = await api.snapshot(id);
    using stream = await api.stream(id, `?since=${offset}`);
    // Before the request: on a busy machine the program may be far ahead when its answer arrives.
    const startedAt = performance.now();
    await api.type(id, '\n');
    let text = '';
    let events = 0;
    for (; text.length < letters; events++) text += (await stream.next())?.data.data;
    expect(text).toBe('x'.repeat(letters));
    // A timer of the Worker may fire a millisecond early.
    expect(events).toBeLessThanOrEqual((performance.now() - startedAt) / (GATHER_MS - 1) + 2);
  });

  it(
    '[R2] split text only between characters, replace invalid UTF-8 by U+FFFD, and carry the bytes as base64',
    IN_TURN,
    async ({ expect }) => {
      const program =
        "stty -echo; echo ready; read x; printf 'a\\342'; read x; printf '\\202'; read x; printf '\\254b\\377c\\n'; read x; printf '\\342'";
      const { id } = await api.create({ args: ['-c', program] });
      await api.waitFor(id, { text: 'ready' });
      const { offset } = await api.snapshot(id);
      using bytes = await api.stream(id, `?since=${offset}&encoding=base64`);
      using text = await api.stream(id, `?since=${offset}`);
      let all = Buffer.alloc(0);
      // Half a character is not sent as text, and the id of its event is before it: a client that returns gets it
      // whole.
      for (const [typed, length] of [
        ['first', 2],
        ['second', 3],
        ['third', 8],
      ] as const) {
        await api.type(id, `${typed}\n`);
        while (all.length < length) {
          all = Buffer.concat([all, Buffer.from(String((await bytes.next())?.data.data), 'base64')]);
        }
      }
      expect(all.toString('latin1')).toBe('a\xe2\x82\xacb\xffc\r\n');
      expect(await text.next()).toMatchObject({
        name: 'data',
        id: expect.stringMatching(`\\.${offset + 1}$`),
        data: { data: 'a' },
      });
      expect(await text.text(/\n/)).toBe('€b\ufffdc\r\n');
      await api.type(id, '\n');
      expect(await text.next(), 'half a character at the end of everything').toMatchObject({
        data: { data: '\ufffd' },
      });
      expect(await text.next()).toMatchObject({ name: 'exit' });
    },
  );

  it(
    '[R2] are the screen and the number of lost bytes if bytes are no longer kept',
    IN_TURN,
    async ({ expect }) => {
      await using world = await World.open(
        { agentFlags: ['--output-buffer-size', '4096'] },
        await relays.onWorkerd(),
      );
      const api = await world.api();
      const { id } = await api.create();
      await api.run(id, 'seq 1 3000; echo end-$((1+1))', 'end-2');
      // A snapshot includes everything that was printed: from then on the screen is beyond what is requested below.
      await api.ask('GET', `/sessions/${id}/snapshot?format=text`);
      using stream = await api.stream(id, '?since=10');
      const first = await stream.next();
      expect(first?.name).toBe('snapshot');
      expect(first?.data.lost).toBe(Number(first?.data.offset) - 10);
      expect(Number(first?.data.lost)).toBeGreaterThan(10_000);
      // What the screen had not parsed when it was taken follows as data.
      if (!/end-2/.test(String(first?.data.data))) await stream.text(/end-2/);
    },
  );

  it('[R2] report a resize where it happened', IN_TURN, async ({ expect }) => {
    const { id } = await api.create();
    using stream = await api.stream(id);
    await api.ask('POST', `/sessions/${id}/resize`, { cols: 132, rows: 50 });
    for (let event = await stream.next(); event?.name !== 'resize'; event = await stream.next()) {
      expect(['snapshot', 'data']).toContain(event?.name);
    }
    await api.run(id, 'stty size', '50 132');
  });

  it(
    '[OU11] do not make the reader a window: it neither sets the size nor prevents a page from doing so',
    IN_TURN,
    async () => {
      const { id } = await api.create({ cols: 100, rows: 40 });
      using _stream = await api.stream(id);
      await api.run(id, 'stty size', '40 100');
      const { session, screen } = (await world.client()).attach(id);
      await screen.sees(/40 100/);
      typeInto(session, 'stty size\n');
      await screen.sees(/24 80/);
      await api.run(id, 'stty size', '24 80');
    },
  );
});

describe.concurrent('a stream', () => {
  it(`[F7] [R2] ${STREAMS} at once, ${CHUNKS * LINES} lines with multi-byte characters over ${CHUNKS} reconnects, lost links and a reset: each exactly once`, async ({
    expect,
  }) => {
    const relay = await TestRelay.onWorkerd();
    await using proxy = await CuttingProxy.to(relay.url);
    const legs = { agent: proxy.url, client: relay.url };
    await using world = await World.open({ legs, agentProgram: [process.execPath, HASTY_AGENT] }, relay);
    await world.client();
    let connections = 0;
    const follow = async () => {
      const api = await ApiClient.of(relay);
      const reader = await Reader.start(api);
      for (let chunk = 1; chunk <= CHUNKS / STREAMS; chunk++) {
        using stream = await reader.reconnect();
        connections++;
        // The agent's own link is cut while the streams stay open.
        if (connections % 15 === 10) proxy.cut();
        // The object is reset under all of them, which leaves sockets that only the platform answers. [CN8]
        if (connections === CHUNKS / 2) await relay.reset();
        await typeOnce(api, reader.id, `${reader.id}-${chunk}`);
        // Mostly cut in the middle of a chunk: what is left of it comes with the next connection.
        const isWhole = chunk % 10 === 0 || chunk === CHUNKS / STREAMS;
        await reader.readUntil(stream, isWhole ? chunk * LINES : chunk * LINES - LINES + 1);
      }
      return reader.text;
    };
    const lines = Array.from({ length: (CHUNKS * LINES) / STREAMS }, (_, i) => line(i + 1));
    const texts = await Promise.all(Array.from({ length: STREAMS }, follow));
    for (const text of texts) expect(text).toBe(lines.join(''));
    expect(connections).toBe(CHUNKS);
  });

  it('[R2] continues by itself while the relay is replaced and the machine reconnects', async ({
    expect,
  }) => {
    const relay = await TestRelay.onWorkerd();
    await using proxy = await CuttingProxy.to(relay.url);
    await using world = await World.open({ legs: { agent: proxy.url, client: relay.url } }, relay);
    const api = await world.api();
    const { id } = await api.create({ args: ['-c', PRINTER] });
    await api.waitFor(id, { text: 'ready' });
    using stream = await api.stream(id, `?since=${(await api.snapshot(id)).offset}`);
    await typeOnce(api, id, 'a');
    let text = await stream.text(/line 25 /);
    await relay.reset();
    await typeOnce(api, id, 'b');
    text += await stream.text(/line 50 /);
    proxy.cut();
    await typeOnce(api, id, 'c');
    text += await stream.text(/line 75 [^\n]*\n/);
    expect(text.match(/line \d+/g)).toEqual(Array.from({ length: 75 }, (_, i) => `line ${i + 1}`));
  });
});

describe.concurrent('the reader of a stream', () => {
  it('[OU10] that does not read runs out of credit: memory does not grow, and the program continues', async ({
    expect,
  }) => {
    await using world = await World.open({}, await relays.onWorkerd());
    const api = await world.api();
    const flood = 'read go; yes "$(printf %0100d 7)" | head -c 24000000; echo; echo done';
    const { id } = await api.create({ args: ['-c', flood] });
    using stalled = await api.stream(id);
    await stalled.next();
    stalled.pause();
    await api.type(id, '\n');
    // 24 MB are printed although nobody reads them.
    expect(await api.exit(id)).toEqual({ exitCode: 0, signal: null });
    stalled.resume();
    let received = 0;
    let lost = 0;
    let name = '';
    for (let event = await stalled.next(); event !== undefined; event = await stalled.next()) {
      received += String(event.data.data ?? '').length;
      if (event.name === 'snapshot') lost += Number(event.data.lost);
      name = event.name;
    }
    expect(name, 'the end is told all the same').toBe('exit');
    expect(lost, 'what was not read was skipped').toBeGreaterThan(5_000_000);
    expect(received, 'and kept nowhere').toBeLessThan(19_000_000);
  });

  it('[RL5] that is killed is detected without any output', async ({ expect }) => {
    await using world = await World.open({}, await relays.onWorkerd());
    const api = await world.api();
    const { id } = await api.create({ command: 'sleep', args: ['1000'] });
    const stream = await api.stream(id);
    await stream.next();
    await expect.poll(async () => (await api.session(id)).attached).toBe(1);
    stream[Symbol.dispose]();
    await expect.poll(async () => (await api.session(id)).attached, { interval: 250 }).toBe(0);
  });

  it('[S1] of a quiet stream lets the object sleep, and receives the next output', async ({
    expect,
    onTestFinished,
  }) => {
    await using world = await World.open({}, await relays.start());
    await untilAtRest(world.relay);
    const api = await ApiClient.of(world.relay);
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-stream-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const wake = join(dir, 'wake');
    const program = `echo ready; while [ ! -e ${wake} ]; do sleep 0.2; done; echo woken; read x`;
    const { id } = await api.create({ args: ['-c', program] });
    await untilAtRest(world.relay);
    using stream = await api.stream(id);
    await stream.text(/ready/);
    await untilAsleep(world.relay);
    const before = await world.relay.counts();
    // Printed by the program itself: no request of a client wakes the object.
    writeFileSync(wake, '');
    await stream.text(/woken/);
    expect(stream.comments, 'the reader was told that it is still there').toBeGreaterThan(0);
    const after = await world.relay.counts();
    expect(after.constructions, 'it had slept, and woke up for the output').toBeGreaterThan(
      before.constructions,
    );
    expect(after.messages - before.messages, 'the output and its acknowledgement').toBeLessThanOrEqual(4);
  });
});
