/** Which notifications a page shows. */
import { describe, expect, it } from 'vitest';
import type { Attention } from '../../../../protocol/messages/attention.ts';
import { PageNotifier, type WantingTab } from '../../../../web/ui/attention/page-notifier.ts';

const ASKS: Attention = { state: 'asks', text: 'May I?', at: '2026-01-01T10:00:00.000Z', offset: 1 };
const tab = (key: string, changes: Partial<Attention> = {}): WantingTab => ({
  key,
  session: `s-${key}`,
  name: `Terminal ${key}`,
  attention: { ...ASKS, ...changes },
});

function notifier() {
  const log: string[] = [];
  const is = { hidden: true, wanted: true };
  const clicks: (() => void)[] = [];
  const made = new PageNotifier({
    mayNotify: (session) => is.wanted && session !== 's-muted',
    isHidden: () => is.hidden,
    show: ({ title, body, tag, clicked }) => {
      log.push(`${tag}: ${title}: ${body}`);
      clicks.push(clicked);
      return () => log.push(`removed ${tag}`);
    },
    open: (key) => log.push(`open ${key}`),
  });
  return { log, is, clicks, notifier: made };
}

describe('[A4] a notification', () => {
  it('is shown once for each moment', () => {
    const { log, notifier: page } = notifier();
    page.update([tab('1')]);
    page.update([tab('1')]);
    page.update([tab('1', { at: '2026-01-01T10:05:00.000Z', state: 'failed', text: 'make: exit 2' })]);
    expect(log).toEqual([
      'holdfast-s-1: Terminal 1 wants an answer: May I?',
      'holdfast-s-1: Terminal 1 has failed: make: exit 2',
    ]);
  });

  it('is not shown for what was seen on the page, also when the page is hidden later', () => {
    const { log, is, notifier: page } = notifier();
    is.hidden = false;
    page.update([tab('1')]);
    is.hidden = true;
    page.update([tab('1')]);
    expect(log).toEqual([]);
  });

  it('is not shown for a muted session, or to somebody who wants none', () => {
    const { log, is, notifier: page } = notifier();
    page.update([tab('muted')]);
    is.wanted = false;
    page.update([tab('1')]);
    expect(log).toEqual([]);
  });

  it('is removed when somebody has looked, on whatever device', () => {
    const { log, notifier: page } = notifier();
    page.update([tab('1'), tab('2')]);
    log.length = 0;
    page.update([tab('2')]);
    expect(log).toEqual(['removed holdfast-s-1']);
    page.update([tab('1'), tab('2')]);
    expect(log).toHaveLength(2);
  });

  it('shows its tab when it is clicked', () => {
    const { clicks, log, notifier: page } = notifier();
    page.update([tab('1'), tab('2')]);
    clicks[1]?.();
    expect(log.at(-1)).toBe('open 2');
  });

  it('has a text also for a bell', () => {
    const { log, notifier: page } = notifier();
    page.update([tab('1', { text: '' })]);
    expect(log).toEqual(['holdfast-s-1: Terminal 1 wants an answer: The bell rang']);
  });
});
