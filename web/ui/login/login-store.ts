/**
 * Stores logins in IndexedDB, which can hold non-extractable keys and is limited to this origin, including the port. In
 * a browser without IndexedDB, a login lasts as long as the page.
 */
import type { LoginStore, StoredLogin } from './page-login.ts';

const DATABASE = 'holdfast';
const LOGINS = 'logins';

const inMemory = new Map<string, StoredLogin>();

export function loginStore(workspace: string): LoginStore {
  return {
    read: async () => {
      const stored = await withLogins('readonly', (logins) => logins.get(workspace)).catch(() => undefined);
      return inMemory.get(workspace) ?? readLogin(stored);
    },
    write: async (login) => {
      inMemory.delete(workspace);
      await withLogins('readwrite', (logins) => logins.put(login, workspace)).catch(() =>
        inMemory.set(workspace, login),
      );
    },
    remove: async () => {
      inMemory.delete(workspace);
      await withLogins('readwrite', (logins) => logins.delete(workspace)).catch(() => {});
    },
  };
}

/** Null for data of another version that cannot be used. */
function readLogin(stored: unknown): StoredLogin | null {
  const { keys, renewal, renewedAt, endsAt } = (stored ?? {}) as Partial<StoredLogin>;
  const isWhole = keys?.privateKey instanceof CryptoKey && typeof renewal === 'string';
  return isWhole
    ? { keys, renewal, renewedAt: Number(renewedAt) || 0, endsAt: Number(endsAt) || null }
    : null;
}

async function withLogins<T>(
  mode: IDBTransactionMode,
  act: (logins: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await openDatabase();
  try {
    return await resultOf(act(database.transaction(LOGINS, mode).objectStore(LOGINS)));
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(LOGINS);
  return resultOf(opening);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
