/**
 * The status page: what is up, for people. It asks the same questions as any client of the API, with the page's own
 * credential, and draws the answers as text.
 */
import { credentialOf, withoutFragment } from '../login/address.ts';
import { logIn } from '../login/log-in.ts';
import { openLogin } from '../login/open-login.ts';
import { draw } from './draw.ts';
import { fetchReport, type Report } from './report.ts';
import { workspaceOfStatus } from './workspace-of.ts';
import '../tokens.css';
import '../base.css';
import './status.css';

/** Each look wakes the workspace's object for a moment, so a page that nobody sees does not look. */
const EVERY_MS = 30_000;

const found = document.getElementById('root');
if (found === null) throw new Error('invariant: status.html has no root');
const root = found;

const light = matchMedia('(prefers-color-scheme: light)');
const followSystem = () => {
  root.dataset.theme = light.matches ? 'light' : 'dark';
};
light.addEventListener('change', followSystem);
followSystem();

const workspace = workspaceOfStatus(location.pathname);
const login = workspace === null ? null : openLogin(new URL('/', location.href), workspace);
let asked = 0;

async function look(): Promise<void> {
  const mine = ++asked;
  const report = await reportWithLogin();
  // Of two looks that overlap, the one that was asked for last counts.
  if (mine !== asked) return;
  draw(root, { workspace, report, now: new Date(), onRefresh: () => void look() });
}

/** A cookie that is old is renewed first, and one that is refused once. */
async function reportWithLogin(): Promise<Report> {
  await login?.ready();
  const report = await fetchReport(workspace);
  if (report.name === 'workspace') login?.accepted();
  return report.name === 'locked' && (await login?.replace()) === true ? fetchReport(workspace) : report;
}

/** A link with a credential does here what it does at the terminal's own page. */
async function enter(): Promise<void> {
  const credential = credentialOf(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', withoutFragment(location));
  if (credential !== null && workspace !== null) await logIn(workspace, credential);
  await look();
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void look());
setInterval(() => document.visibilityState === 'visible' && void look(), EVERY_MS);
addEventListener('hashchange', () => credentialOf(location.hash) !== null && location.reload());
void enter();
