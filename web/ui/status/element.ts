/** Makes elements. Children that are strings are inserted as text, never as markup. */

type Properties<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], 'dataset'>
> & {
  readonly dataset?: Readonly<Record<string, string>>;
};

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { dataset = {}, ...properties }: Properties<K>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}
