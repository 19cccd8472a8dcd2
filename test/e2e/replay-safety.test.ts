/**
 * A replay types nothing. A program prints every known device query, to three clients and a real page that reattach
 * repeatedly; every byte that reaches it is recorded.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { EVERY_ANSWER, EVERY_QUERY, LAST_ANSWER } from '../support/terminal-queries.ts';
import { TestRelay } from '../support/test-relay.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

/** `HOLDFAST_REATTACHES=40 npm test -- replay-safety` takes longer. */
const REATTACHES = Number(process.env.HOLDFAST_REATTACHES ?? 8);
const POLLING = { interval: 20 };
/** Modes in which a terminal sends data without a query: focus, mouse, paste. */
const TALKATIVE = '\x1b[?1004h\x1b[?1003h\x1b[?1006h\x1b[?2004h';

interface Watching {
  readonly name: string;
  readonly client: HeadlessClient;
  seat: ReturnType<HeadlessClient['attachAsPage']>;
}

/** Sends every query; resolves to the answers once the last of them has arrived. */
async function answersTo(program: RecordingProgram, questions: string): Promise<string> {
  const { length } = program.typed;
  await program.prints(questions);
  await expect.poll(() => program.typed.slice(length), POLLING).toContain(LAST_ANSWER);
  return program.typed.slice(length);
}

/**
 * The screen's thread runs. An answer that would be a second late is not given, and a thread may take that long to
 * start.
 */
async function isAnswered(program: RecordingProgram): Promise<void> {
  for (let isLate = true; isLate; ) {
    await program.prints('\x1b[5n');
    const answered = expect.poll(() => program.typed, { timeout: 3_000, interval: 20 }).toContain('\x1b[0n');
    isLate = await answered.then(
      () => false,
      () => true,
    );
  }
}

async function threeClients(world: World, id: string): Promise<Watching[]> {
  const clients = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => ({ name, client: await world.client() })),
  );
  return clients.map(({ name, client }) => ({ name, client, seat: client.attachAsPage(id) }));
}

/** A page in a separate browser, once it shows the session. */
async function openPage(world: World, origin: URL): Promise<Page> {
  const page = await (await world.browserContext()).newPage();
  const url = new URL(`/w/${world.relay.workspace}?renderer=dom`, origin);
  await page.goto(`${url}#token=${await world.relay.token('operator')}`);
  return page;
}

/** Every client shows current output: whatever was replayed before has been parsed. */
async function everybodySees(
  program: RecordingProgram,
  mark: string,
  watching: readonly Watching[],
  page?: Page,
) {
  await program.prints(`\r\n${mark}\r\n`);
  const pattern = new RegExp(`^${mark}$`, 'm');
  await Promise.all(watching.map(({ seat }) => seat.screen.sees(pattern)));
  if (page !== undefined) await terminalOf(page).shows(pattern);
}

/** Each types its name. What it had sent by itself before would be earlier in the record. */
async function everybodyTypes(
  program: RecordingProgram,
  watching: readonly Watching[],
  page?: Page,
): Promise<string> {
  let typed = '';
  for (const { name, seat } of watching) {
    typeInto(seat.session, name);
    typed += name;
    await program.got(typed);
  }
  if (page === undefined) return typed;
  await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
  await page.keyboard.type('p');
  await program.got(`${typed}p`);
  return `${typed}p`;
}

describe('device queries', () => {
  it('[SEC7] [OU14] are answered once with nobody attached, and once with three clients and a page', async () => {
    await using world = await World.open();
    using program = await RecordingProgram.start(await world.client());
    await isAnswered(program);
    const before = program.typed;
    const unattended = await answersTo(program, EVERY_QUERY);
    expect(unattended).toMatch(EVERY_ANSWER);

    const watching = await threeClients(world, program.id);
    const page = await openPage(world, world.relay.url);
    await everybodySees(program, 'together', watching, page);
    const live = await answersTo(program, EVERY_QUERY);
    expect(live).toMatch(EVERY_ANSWER);
    await everybodySees(program, 'answered', watching, page);
    // One of the queries wants to write the clipboard: the user sees the question and keeps typing into the terminal.
    await page.getByText('Let a program write to the clipboard?').waitFor();
    const names = await everybodyTypes(program, watching, page);
    expect(program.typed).toBe(before + unattended + live + names);
  });

  it(
    `[SEC7] [OU14] cause no input during ${REATTACHES} reattaches of three clients and a page`,
    async () => {
      const relay = await TestRelay.onWorkerd();
      await using clientLeg = await CuttingProxy.to(relay.url);
      await using agentLeg = await CuttingProxy.to(relay.url);
      await using world = await World.open({ legs: { agent: agentLeg.url, client: clientLeg.url } }, relay);
      using program = await RecordingProgram.start(await world.client());
      const watching = await threeClients(world, program.id);
      const page = await openPage(world, clientLeg.url);
      await everybodySees(program, 'begun', watching, page);
      let expected = await answersTo(program, TALKATIVE + EVERY_QUERY);
      await everybodySees(program, 'asked', watching, page);

      const anew = async (isNew: boolean) => {
        for (const seat of watching) {
          seat.client.client.detach(program.id);
          seat.seat = seat.client.attachAsPage(program.id, { isNew });
        }
        await page.reload();
      };
      const dialNow = async () => {
        for (const { client } of watching) client.client.wake();
        await page.evaluate(() => dispatchEvent(new Event('online')));
      };
      const ways = [
        // Queries from while they were away reach them as a replay; they were answered long before.
        async () => {
          clientLeg.down();
          const answers = await answersTo(program, EVERY_QUERY);
          expect(answers).toMatch(EVERY_ANSWER);
          expected += answers;
          clientLeg.up();
          await dialNow();
        },
        // Everybody attaches again although no client's own socket was cut.
        () => agentLeg.cut(),
        // All that was printed, as it was printed; then the screen.
        () => anew(true),
        () => anew(false),
      ];
      for (let round = 0; round < REATTACHES; round++) {
        await ways[round % ways.length]?.();
        await everybodySees(program, `round-${round}`, watching, page);
      }
      expected += await everybodyTypes(program, watching, page);
      expect(program.typed).toBe(expected);
    },
    TEST_WITHIN_MS + REATTACHES * 2_000,
  );
});
