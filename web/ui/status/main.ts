/**
 * The status page. It sends the same requests as any API client, with the page cookie, and renders the answers as text.
 */
import { credentialOf, withoutFragment } from '../login/address.ts';
import { type LoginOutcome, logIn } from '../login/log-in.ts';
import { openLogin } from '../login/open-login.ts';
import { draw } from './draw.ts';
import { makeLinkField } from './link-field.ts';
import { fetchReport, type Report } from './report.ts';
import { workspaceOfStatus } from './workspace-of.ts';
import '../tokens.css';
import '../base.css';
import '../login/link-form.css';
import './status.css';

/** Each request wakes the workspace's Durable Object for a moment, so a hidden page sends none. */
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
const linkField =
  workspace === null ? null : makeLinkField(workspace, (credential) => use(workspace, credential));
let asked = 0;

async function look(): Promise<void> {
  const mine = ++asked;
  const report = await reportWithLogin();
  // If two requests overlap, only the later one counts.
  if (mine !== asked) return;
  draw(root, {
    workspace,
    report,
    now: new Date(),
    onRefresh: () => void look(),
    linkForm: linkField?.form ?? null,
  });
}

/** Somebody has pasted a link. */
async function use(workspace: string, credential: string): Promise<LoginOutcome> {
  const outcome = await logIn(workspace, credential);
  if (outcome.name !== 'in') return outcome;
  await login?.changed();
  await look();
  return outcome;
}

/** Renews an old cookie first, and once more if it is refused. */
async function reportWithLogin(): Promise<Report> {
  await login?.ready();
  const report = await fetchReport(workspace);
  if (report.name === 'workspace') login?.accepted();
  return report.name === 'locked' && (await login?.replace()) === true ? fetchReport(workspace) : report;
}

/** A link with a credential logs in here as it does on the terminal page. */
async function enter(): Promise<void> {
  const credential = credentialOf(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', withoutFragment(location));
  const outcome = credential !== null && workspace !== null ? await logIn(workspace, credential) : null;
  if (outcome !== null && outcome.name !== 'in') linkField?.say(outcome.sentence);
  await look();
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void look());
setInterval(() => document.visibilityState === 'visible' && void look(), EVERY_MS);
addEventListener('hashchange', () => credentialOf(location.hash) !== null && location.reload());
void enter();
