/** Renders a status report. Every name that comes from a user or a program is inserted as text, never as markup. */
import { since } from '../text/since.ts';
import type { Report } from './report.ts';
import { COLUMNS, figuresOf, headlineOf, rowOf } from './words.ts';

export interface Shown {
  readonly workspace: string | null;
  readonly report: Report;
  readonly now: Date;
  readonly onRefresh: () => void;
}

export function draw(root: HTMLElement, shown: Shown): void {
  const { workspace, report, now } = shown;
  // The button that had the focus is replaced like everything else, so the new one takes the focus.
  const hadFocus = root.querySelector('button') === document.activeElement;
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
    ...figures(report),
    ...sessions(report, now),
    foot(shown),
  ]);
  root.replaceChildren(main);
  if (hadFocus) root.querySelector('button')?.focus();
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

type Properties<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], 'dataset'>
> & {
  readonly dataset?: Readonly<Record<string, string>>;
};

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { dataset = {}, ...properties }: Properties<K>,
  children: readonly (Node | string)[],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}
