/** Entry point of the page: takes the credential from the URL, logs in and shows the workspace. */
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Home, LinkRefused, Loading, NoWorkspace, Opening, TroubleNotice } from './elements/notice.tsx';
import { credentialOf, ownerCredentialOf, withoutFragment, workspaceOfPage } from './login/address.ts';
import { LinkForm, type UseLink } from './login/link-form.tsx';
import { logIn } from './login/log-in.ts';
import { MultiTerminal } from './multi-terminal.tsx';
import { SettingsStore } from './settings/settings.ts';
import { Themed } from './settings/themed.tsx';
import './main.css';

const place = document.getElementById('root');
if (place === null) throw new Error('invariant: index.html has no root');
const root = createRoot(place);
/** The relay's own address, which is also the owner's page. */
const isHome = location.pathname === '/';
const settings = new SettingsStore(localStorage);
const show = (page: ReactNode) => root.render(page);
const say = (notice: ReactNode) => show(<Themed settings={settings}>{notice}</Themed>);

const credentialHere = () => (isHome ? ownerCredentialOf : credentialOf)(location.hash);

/** Runs before any request, so that whatever happens next, the credential is out of the address bar and the history. */
function takeCredential(): string | null {
  const credential = credentialHere();
  if (location.hash !== '') history.replaceState(history.state, '', withoutFragment(location));
  return credential;
}

async function enter(workspace: string, credential: string): Promise<void> {
  say(<Opening />);
  const outcome = await logIn(workspace, credential);
  if (outcome.name === 'in') open(workspace);
  else if (outcome.name === 'refused')
    say(<LinkRefused sentence={outcome.sentence}>{anotherLink(workspace)}</LinkRefused>);
  else say(<TroubleNotice sentence={outcome.sentence} onRetry={() => void enter(workspace, credential)} />);
}

function anotherLink(workspace: string): ReactNode {
  const use = async (credential: string) => {
    const outcome = await logIn(workspace, credential);
    if (outcome.name === 'in') open(workspace);
    return outcome;
  };
  return <LinkForm workspace={workspace} onLink={({ credential }) => use(credential)} />;
}

/** The page of the link's workspace takes over from here. */
const follow: UseLink = async ({ href }) => {
  location.assign(href);
  return { name: 'in' };
};

const anyLink = () => <LinkForm workspace={null} onLink={follow} />;

function open(workspace: string): void {
  linkManifest(workspace);
  const isPlain = new URLSearchParams(location.search).get('renderer') === 'dom';
  show(<MultiTerminal workspace={workspace} renderer={isPlain ? 'dom' : 'auto'} />);
}

/** What the owner sees is a file of its own: most pages are those of a workspace. */
async function openHome(credential: string | null): Promise<void> {
  say(<Loading />);
  const form = anyLink();
  try {
    const { openOwnerPage } = await import('./owner/open-owner-page.tsx');
    await openOwnerPage({ credential, show: say, form, home: <Home>{form}</Home> });
  } catch {
    const sentence = 'This page could not be loaded: it has a newer version, or the network is down.';
    say(<TroubleNotice sentence={sentence} onRetry={() => void openHome(credential)} />);
  }
}

/** Each workspace can be installed by itself. The file of this page is the same for all, so the link is added here. */
function linkManifest(workspace: string): void {
  const link = document.createElement('link');
  link.rel = 'manifest';
  link.href = `/w/${workspace}/manifest.webmanifest`;
  document.head.append(link);
}

// A link pasted into the address bar of this page changes only the fragment, and so does not reload the page by itself.
addEventListener('hashchange', () => credentialHere() !== null && location.reload());

const workspace = workspaceOfPage(location.pathname);
const credential = takeCredential();
if (isHome) void openHome(credential);
else if (workspace === null) say(<NoWorkspace>{anyLink()}</NoWorkspace>);
else if (credential === null) open(workspace);
else void enter(workspace, credential);
