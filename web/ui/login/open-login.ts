/** The login of this page, put together from what a browser has to offer; and its end. */
import { loginStore } from './login-store.ts';
import { PageLogin } from './page-login.ts';
import { renewLogin } from './renew-login.ts';

export function openLogin(relay: URL, workspace: string): PageLogin {
  return new PageLogin({
    store: loginStore(workspace),
    renew: (stored) => renewLogin(loginAddress(relay, workspace), stored),
    wallClock: () => Date.now(),
  });
}

/** Forgets the key first: whatever the relay says, this browser cannot renew any more. */
export async function logOut(relay: URL, workspace: string): Promise<void> {
  await loginStore(workspace).remove();
  await fetch(loginAddress(relay, workspace), { method: 'DELETE' }).catch(() => {});
}

function loginAddress(relay: URL, workspace: string): URL {
  return new URL(`/api/workspaces/${workspace}/login`, relay);
}
