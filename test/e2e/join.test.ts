/** `holdfast invite`, `join` and `link`, as people use them: a relay here, a machine with another home there. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.ts';
import { DeskTerminal, holdfast, type Outcome } from '../support/holdfast-command.ts';
import { PlainProxy } from '../support/plain-proxy.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-join-'));
const state = join(dir, 'relay');
const running: DeskTerminal[] = [];
let relay: URL;
let own: DeskTerminal;

const window = { size: { cols: 300, rows: 40 } };

async function end(desk: DeskTerminal): Promise<void> {
  const family = familyOf(desk.pid);
  desk.presses('\x03');
  await gone(family);
}

beforeAll(async () => {
  own = new DeskTerminal(['relay', '--port', '0', '--state-dir', state], {}, window);
  const [, address = ''] = await own.screen.sees(/^Relay at (\S+), [\s\S]*Machines: holdfast invite/m);
  relay = new URL(address);
});
afterEach(async () => {
  for (const desk of running.splice(0)) await end(desk);
});
afterAll(async () => {
  await end(own);
  rmSync(dir, { recursive: true, force: true });
});

const owner = (...args: string[]) => holdfast([...args, '--state-dir', state]);

/** The line that `invite` prints, as the words that a shell makes of it. */
async function invited(...args: string[]): Promise<[relay: string, code: string]> {
  const { out, err, code } = await owner('invite', ...args);
  const [, address = '', text = ''] = /^holdfast join (\S+) '(#[\w-]{43})'\n$/.exec(out) ?? [];
  if (code !== 0 || text === '') throw new Error(`${code}: ${out}${err}`);
  return [address, text];
}

let homes = 0;
const newHome = () => join(dir, `home-${++homes}`);

/** In a window of the machine's user. */
function joining(home: string, ...args: string[]): DeskTerminal {
  const desk = new DeskTerminal(['join', ...args], { HOME: home, SHELL: '/bin/sh' }, window);
  running.push(desk);
  return desk;
}

/** A join that is refused: it ends by itself. */
const refused = (home: string, ...args: string[]): Promise<Outcome> =>
  holdfast(['join', ...args], { env: { HOME: home, SHELL: '/bin/sh' } });

describe('a machine', () => {
  it('[J2] joins with the line that `invite` printed, and its shells are reached with the link that `link` printed', async () => {
    const home = newHome();
    const desk = joining(home, ...(await invited()), '--name', 'build-1');
    await desk.screen.sees(
      /^Joined \S+ as “build-1”, with the key SHA256:[\s\S]*^ok +websocket[\s\S]*^Running\./m,
    );
    const files = ['agent.env', 'agent-key', 'agent-token'].map((name) =>
      join(home, '.config/holdfast/machine', name),
    );
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    const link = (await owner('link', '--machine', 'build-1', '--expires', '5m')).out.trim();
    const api = ApiClient.withLink(link);
    await expect
      .poll(async () => (await api.ask('GET', '/health')).body)
      .toMatchObject({ agent: { state: 'online' } });
    const { id } = await api.create({});
    await api.run(id, 'echo joined-$((40 + 2))', 'joined-42');
    await end(desk);
    running.pop();
    const again = new DeskTerminal(['agent', '--env-file', files[0] ?? ''], { HOME: home }, window);
    running.push(again);
    await expect
      .poll(async () => (await api.ask('GET', '/health')).body)
      .toMatchObject({ agent: { state: 'online' } });
  });

  it('[J2] is replaced by the one that an invite names, which is told nothing but its name', async () => {
    const first = joining(newHome(), ...(await invited()), '--name', 'build-2');
    await first.screen.sees(/^Running\./m);
    const second = joining(newHome(), ...(await invited('--machine', 'build-2')));
    await second.screen.sees(/^Joined \S+ as “build-2”[\s\S]*^Running\./m);
  });

  it.each([
    ['without the code', (address: string) => [address], 2, /the code is missing; paste it in quotes/],
    ['with something else', (address: string) => [address, '#a b'], 2, /not a code of `holdfast invite`/],
    ['without an address', (_: string, code: string) => [code], 2, /not an https:\/\/ address/],
    [
      'over plain http from elsewhere',
      (_: string, code: string) => ['http://relay.example.com', code],
      2,
      /must be reached over https/,
    ],
    [
      'where nothing listens',
      (_: string, code: string) => ['http://127.0.0.1:3', code],
      69,
      /cannot be reached: ECONNREFUSED\. Nothing listens there/,
    ],
    [
      'with a code that was not copied completely',
      (address: string, code: string) => [address, code.slice(0, -1)],
      77,
      /made by another relay, or not copied completely/,
    ],
  ])('[J2] that joins %s is told what to do', async (_what, args, code, sentence) => {
    const outcome = await refused(newHome(), ...args(...(await invited())));
    expect([outcome.code, outcome.err]).toEqual([code, expect.stringMatching(sentence)]);
  });

  it('[J2] is told that a code was used, that its name is taken, and that it has joined another relay', async () => {
    const home = newHome();
    const line = await invited();
    const desk = joining(home, ...line, '--name', 'build-3');
    await desk.screen.sees(/^Running\./m);
    expect((await refused(newHome(), ...line, '--name', 'build-4')).err).toMatch(/This invite has been used/);
    const taken = await refused(newHome(), ...(await invited()), '--name', 'build-3');
    expect(taken.err).toMatch(/a machine named “build-3” already\. Give another name with --name/);
    await using proxy = await PlainProxy.to(relay);
    const [, code] = await invited();
    const other = await refused(home, proxy.url.origin, code);
    expect(other.err).toMatch(
      /has joined http:\S+ already, as “build-3” .* give --state-dir another directory/,
    );
  });

  it('[J2] behind a proxy without WebSockets is told so', async () => {
    await using proxy = await PlainProxy.to(relay);
    const [, code] = await invited();
    const { code: exit, out, err } = await refused(newHome(), proxy.url.origin, code, '--name', 'build-5');
    expect(out).toMatch(/^fail +websocket +A proxy on the way to the relay removes WebSocket upgrades/m);
    expect([exit, err]).toEqual([1, expect.stringMatching(/has joined, but the check found a problem/)]);
  });

  it('[F35] whose clock is off by an hour is told so', async () => {
    await using proxy = await PlainProxy.to(relay, { clockShiftMs: 3_600_000 });
    const [, code] = await invited();
    const { err } = await refused(newHome(), proxy.url.origin, code, '--name', 'build-6');
    expect(err).toMatch(/clock is 3[56]\d\d s off the relay's; turn on NTP/);
  });
});

describe('the owner', () => {
  it('[J2] is told if the key is elsewhere, or of another relay', async () => {
    const empty = await holdfast(['invite'], { env: { HOME: newHome() } });
    expect([empty.code, empty.err]).toEqual([
      77,
      expect.stringMatching(/run this where `holdfast up` or `holdfast deploy` ran/),
    ]);
    const elsewhere = await holdfast(['invite', '--state-dir', join(dir, 'nothing')]);
    expect(elsewhere.err).toMatch(/there is no owner's key in .*nothing.owner\.json/);
    expect((await owner('invite', '--machine', 'a b')).err).toMatch(/--machine needs a name/);
    const text = readFileSync(join(state, 'owner.json'), 'utf8');
    expect(statSync(join(state, 'owner.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(text)).toMatchObject({ relay: relay.origin });
  });

  it('[J2] [J5] makes links: for people, with a QR code for a phone, and for the owner', async () => {
    const viewer = await owner('link', '--machine', 'any', '--role', 'viewer', '--name', 'Ann');
    expect(viewer.out).toMatch(/^http:\S+\/w\/any#token=\S+\n$/);
    const phone = await owner('link', '--qr');
    expect(phone.out).toMatch(/^http:\S+\/w\/local#code=[\w.!-]+\n/);
    expect(phone.out.split('\n').length).toBeLessThanOrEqual(27);
    expect((await owner('link', '--owner')).out).toMatch(/^http:\S+\/#owner=[\w-]{43}\n$/);
    expect((await owner('link', '--role', 'agent')).err).toMatch(/--role must be operator or viewer/);
    for (const time of ['31d', '59s'])
      expect((await owner('link', '--expires', time)).err).toMatch(/--expires must be between 1m and 30d/);
  });
});
