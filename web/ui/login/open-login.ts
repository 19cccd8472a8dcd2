/** Builds this page's login from browser APIs, and logs out. */
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

/** Removes the key first: whatever the relay answers, this browser can no longer renew the login. */
export async function logOut(relay: URL, workspace: string): Promise<void> {
  await loginStore(workspace).remove();
  await fetch(loginAddress(relay, workspace), { method: 'DELETE' }).catch(() => {});
}

export function loginAddress(relay: URL, workspace: string): URL {
  return new URL(`/api/workspaces/${workspace}/login`, relay);
}
