/** The registration of the page's service worker, which shows its notifications. */

export const placeOf = (workspace: string): string => `/w/${workspace}`;

/**
 * Undefined where there is none. A browser also finds that of a workspace whose name is the beginning of this one: the
 * scope of a service worker is the beginning of an address.
 */
export async function ownRegistration(workspace: string): Promise<ServiceWorkerRegistration | undefined> {
  const place = placeOf(workspace);
  const found = await navigator.serviceWorker?.getRegistration(place);
  return found !== undefined && new URL(found.scope).pathname === place ? found : undefined;
}
