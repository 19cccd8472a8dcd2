/** The page's entry: takes the credential out of the address, logs in, and shows the workspace. */
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { credentialOf, withoutFragment, workspaceOf } from './address.ts';
import { connect } from './connect.ts';
import { logIn } from './log-in.ts';
import { LinkRefused, NoWorkspace, Opening, Trouble } from './notice.tsx';
import { WorkspacePage } from './workspace-page.tsx';
import './tokens.css';
import './page.css';

const place = document.getElementById('root');
if (place === null) throw new Error('invariant: index.html has no root');
const root = createRoot(place);
const show = (page: ReactNode) => root.render(page);

/** Before anything is sent: whatever comes of it, the credential has left the address bar and the history. */
function takeCredential(): string | null {
  const credential = credentialOf(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', withoutFragment(location));
  return credential;
}

async function enter(workspace: string, credential: string): Promise<void> {
  show(<Opening />);
  const outcome = await logIn(workspace, credential);
  if (outcome.name === 'in') open(workspace);
  else if (outcome.name === 'refused') show(<LinkRefused />);
  else show(<Trouble sentence={outcome.sentence} onRetry={() => void enter(workspace, credential)} />);
}

function open(workspace: string): void {
  show(<WorkspacePage client={connect(workspace)} workspace={workspace} />);
}

// A link pasted into the address bar of this very page changes the fragment only, and loads nothing.
addEventListener('hashchange', () => credentialOf(location.hash) !== null && location.reload());

const workspace = workspaceOf(location.pathname);
const credential = takeCredential();
if (workspace === null) show(<NoWorkspace />);
else if (credential === null) open(workspace);
else void enter(workspace, credential);
