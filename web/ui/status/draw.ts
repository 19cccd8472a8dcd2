/** Renders a status report. Every name that comes from a user or a program is inserted as text, never as markup. */
import { since } from '../text/since.ts';
import { element } from './element.ts';
import type { Report } from './report.ts';
import { COLUMNS, figuresOf, headlineOf, rowOf } from './words.ts';

export interface Shown {
  readonly workspace: string | null;
  readonly report: Report;
  readonly now: Date;
  /** The form for somebody who is not signed in. */
  readonly linkForm: HTMLFormElement | null;
  readonly onRefresh: () => void;
}

export function draw(root: HTMLElement, shown: Shown): void {
  const { workspace, report, now, linkForm } = shown;
  // The form stays, and everything else is replaced. If a button had the focus that is gone, the new one takes it.
  const focused = root.querySelector<HTMLElement>(':is(button, input):focus');
  const headline = headlineOf(report, now);
  document.title = `${headline.title} · ${workspace ?? 'Holdfast'}`;
  const main = element('main', { className: 'status-page' }, [
    element('p', { className: 'status-place' }, [
      workspace === null ? 'Holdfast' : `Holdfast · ${workspace}`,
    ]),
    element('div', { className: 'status-headline', role: 'status', dataset: { tone: headline.tone } }, [
      element('h1', {}, [headline.title]),
      element('p', {}, [headline.sentence]),
    ]),
    ...(report.name === 'locked' && linkForm !== null ? [linkForm] : []),
    ...figures(report),
    ...sessions(report, now),
    foot(shown),
  ]);
  root.replaceChildren(main);
  if (focused !== null)
    (focused.isConnected ? focused : root.querySelector<HTMLElement>('footer button'))?.focus();
}

function figures(report: Report): HTMLElement[] {
  const pairs = figuresOf(report).map(([term, value]) =>
    element('div', {}, [element('dt', {}, [term]), element('dd', {}, [value])]),
  );
  return pairs.length === 0 ? [] : [element('dl', {}, pairs)];
}

function sessions(report: Report, now: Date): HTMLElement[] {
  if (report.name !== 'workspace') return [];
  const { list } = report.workspace;
  if (list.length === 0) return [element('p', { className: 'status-empty' }, ['There are no sessions.'])];
  const head = COLUMNS.map((column) => element('th', { scope: 'col' }, [column]));
  const rows = list.map((session) => {
    const [name = '', ...cells] = rowOf(session, now);
    return element('tr', {}, [
      element('th', { scope: 'row' }, [name]),
      ...cells.map((cell) => element('td', {}, [cell])),
    ]);
  });
  const table = element('table', {}, [
    element('caption', {}, ['Sessions']),
    element('thead', {}, [element('tr', {}, head)]),
    element('tbody', {}, rows),
  ]);
  // A wide table scrolls in its own region, which must be reachable by keyboard too.
  return [
    element('div', { className: 'status-table', tabIndex: 0, role: 'region', ariaLabel: 'Sessions' }, [
      table,
    ]),
  ];
}

function foot({ workspace, now, onRefresh }: Shown): HTMLElement {
  const button = element('button', { type: 'button', className: 'button', onclick: onRefresh }, ['Refresh']);
  const link = workspace === null ? [] : [element('a', { href: `/w/${workspace}` }, ['Open the terminals'])];
  const seen = element('span', {}, [`Updated ${since(now.toISOString(), now)} · refreshes every 30 s`]);
  return element('footer', {}, [button, ...link, seen]);
}
