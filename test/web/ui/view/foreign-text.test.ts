/** Names, titles and reasons from other machines on the page, and texts that the user must confirm. */
import { describe, expect, it } from 'vitest';
import type { WorkspaceClient } from '../../../../client/workspace-client.ts';
import { TROUBLE_MAX_CHARS } from '../../../../protocol/limits.ts';
import type { Person } from '../../../../protocol/messages/people.ts';
import { rowOf } from '../../../../web/ui/status/words.ts';
import type { Tabs } from '../../../../web/ui/tabs/tabs.ts';
import { safeLink } from '../../../../web/ui/terminal/links.ts';
import { agentTrouble } from '../../../../web/ui/text/agent-trouble.ts';
import { sizedForText } from '../../../../web/ui/text/people-text.ts';
import { amountOf, visibleText } from '../../../../web/ui/text/visible-text.ts';
import { connectionStatus } from '../../../../web/ui/view/connection-status.ts';
import { sessionRow } from '../../../../web/ui/view/session-row.ts';
import { tabView } from '../../../../web/ui/view/tab-view.ts';
import { tabsView } from '../../../../web/ui/view/tabs-view.ts';
import { coverOf } from '../../../../web/ui/view/terminal-cover.ts';
import type { TerminalViews } from '../../../../web/ui/view/terminal-views.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';

const HOSTILE = 'invoice\u202efdp.exe\u200b\x1b[6n\u009b\nsecond line';
const HARMLESS = /^[^\p{Cc}\p{Cf}]*$/u;
const now = new Date(2026, 4, 3, 18, 30);

const HOSTILE_PERSON: Person = { name: HOSTILE, role: 'operator' };

describe('text from other machines on the page', () => {
  it('[X18] is printable in the sessions panel', () => {
    const context = { now, graceMs: undefined, own: new Set<string>(), people: [HOSTILE_PERSON] };
    for (const more of [
      { title: HOSTILE, foreground: 'bash' },
      { foreground: HOSTILE },
      { status: 'exited', signal: HOSTILE } as const,
    ]) {
      const { name, what, where, people } = sessionRow(
        sessionInfo('s1', { name: HOSTILE, cwd: HOSTILE, ...more }),
        context,
      );
      for (const text of [name, what, where, people]) expect(text).toMatch(HARMLESS);
    }
  });

  it('[X18] is printable in tabs, in the title of the window, in notices and over a terminal', () => {
    const tab = { key: 't', session: 's', name: HOSTILE };
    const windowTabs = {
      list: { tabs: [tab], active: 't' },
      flow: () => ({ session: null, state: { name: 'failed', sentence: HOSTILE }, returning: false }),
      panes: { arrangement: { areas: new Map(), dividers: [] } },
      closed: { last: { tab }, lastCount: 1 },
      notes: { loss: () => ({ sentence: `${HOSTILE}.`, undelivered: HOSTILE }), notice: HOSTILE },
      sessions: { trouble: HOSTILE },
    } as unknown as Tabs;
    const people = { of: () => [HOSTILE_PERSON] };
    const client = {
      state: { name: 'connecting' },
      statistics: { toRelayMs: null, toAgentMs: null },
      people,
    };
    const views = { input: {}, marks: {}, screen: () => undefined } as unknown as TerminalViews;
    const sources = { client: client as unknown as WorkspaceClient, windowTabs, views };
    const view = tabsView(sources, [tabView(tab, sources, now)]);
    const cover = view.active?.cover;
    const texts = [
      view.active?.name,
      view.active?.label,
      view.active?.people.sentence,
      view.active?.people.badge,
      sizedForText([{ ...HOSTILE_PERSON, driving: true }]),
      view.closed,
      view.notice,
      view.active?.loss?.sentence,
      view.active?.loss?.undelivered,
      view.trouble,
      cover?.kind === 'stopped' && cover.sentence,
    ];
    for (const text of texts) expect(text).toMatch(HARMLESS);
  });

  it('[X18] is printable in messages about the connection', () => {
    const refused = { name: 'refused', code: 4403, why: HOSTILE } as const;
    const waiting = { name: 'waiting', retryAt: 5, why: HOSTILE } as const;
    const facts = { wasLive: true, isAgentSilent: false };
    expect(connectionStatus({ ...facts, state: refused }, now).text).toMatch(HARMLESS);
    expect(connectionStatus({ ...facts, state: waiting }, now).detail).toMatch(HARMLESS);
    const cover = coverOf(
      {
        client: refused,
        flow: 'attached',
        sentence: '',
        session: null,
        returning: false,
        unsent: '',
        discardedBytes: 0,
        mayManage: true,
      },
      now,
    );
    expect(cover).toMatchObject({ kind: 'stopped', sentence: expect.stringMatching(HARMLESS) });
  });

  it('[X18] is printable on the status page', () => {
    const session = sessionInfo('s1', {
      name: HOSTILE,
      foreground: HOSTILE,
      status: 'exited',
      signal: HOSTILE,
    });
    for (const cell of rowOf(session, now)) expect(cell).toMatch(HARMLESS);
  });

  it('[X18] [F30] is printable and short in the sentence about the start of an agent', () => {
    const told = (trouble: string) => agentTrouble({ state: 'online', trouble });
    expect(told(HOSTILE)).toMatch(HARMLESS);
    const rest = told('x').length - 1;
    expect(told('x'.repeat(TROUBLE_MAX_CHARS + 1))).toHaveLength(TROUBLE_MAX_CHARS + rest);
    expect([told(''), told('\u202e\0'), agentTrouble({ state: 'offline', trouble: 'x' })]).toEqual([
      '',
      '',
      '',
    ]);
  });

  it.each(['https://example.com/\u202egnp.exe', 'https://ex\u200bample.com/', 'mailto:a\u202eb@example.com'])(
    '[X18] is encoded in link targets: %j',
    (address) => {
      expect(safeLink(address)).toMatch(/^[\x21-\x7e]+$/);
    },
  );
});

describe('a text that the user must confirm', () => {
  it('[X18] is shown in full, with every character visible', () => {
    expect(visibleText('ls\t-l\n\x1b[201~\x7f\u009b\u202e\u{e0041}\r\nrm')).toBe(
      'ls\t-l\n␛[201~␡⟨U+009B⟩⟨U+202E⟩⟨U+E0041⟩␍\nrm',
    );
    const long = `${'x'.repeat(100_000)}end`;
    expect(visibleText(long)).toBe(long);
  });

  it('[X18] ends with a symbol for its last line end, which would run it', () => {
    expect(visibleText('rm -rf /\n')).toBe('rm -rf /␊');
  });

  it('[X18] beyond what a program may copy says how much is not shown', () => {
    expect(visibleText('x'.repeat(128 * 1024 + 1))).toMatch(/x… and 1 more characters$/);
  });

  it.each([
    ['a', '1 character, 1 line'],
    ['a👍\nb\n', '5 characters, 2 lines'],
    ['x\n'.repeat(1000), '2,000 characters, 1,000 lines'],
  ])('[X18] %j is %s', (text, amount) => {
    expect(amountOf(text)).toBe(amount);
  });
});
