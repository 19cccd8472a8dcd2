/** The owner's login in this browser. It is renewed like that of a workspace, with a key that no script can read. */
import { loginStore } from '../login/login-store.ts';
import { PageLogin } from '../login/page-login.ts';
import { renewLogin } from '../login/renew-login.ts';

/** Where the login is stored. No workspace has this name, because of the dot. */
export const OWNER = '.owner';

export const OWNER_LOGIN = '/api/owner/login';

export const ownerLogin = new PageLogin({
  store: loginStore(OWNER),
  renew: (stored) => renewLogin(new URL(OWNER_LOGIN, location.href), stored, 'Owner-Renewal'),
  wallClock: () => Date.now(),
});
