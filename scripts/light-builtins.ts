/**
 * How bundled code gets parts of Node. An `import` reads every name that such a part has, also those that load what nobody
 * asked for: of `node:http` a whole client, 40 ms and 16 MB. Taking the names one by one loads nothing else.
 */
import type { Plugin } from 'rolldown';

/** The parts that have names of this kind and are needed at every start. */
const HEAVY = ['fs', 'http', 'process', 'util'];
const MARK = '\0light:';

/** The plugin; a name that would load more is no export, so that its import fails the build. */
export const lightBuiltins: Plugin = {
  name: 'light-builtins',
  resolveId: {
    filter: { id: new RegExp(`^(?:node:)?(?:${HEAVY.join('|')})$`) },
    handler: (id) => ({ id: `${MARK}${id.replace('node:', '')}`, moduleSideEffects: false }),
  },
  load: {
    filter: { id: new RegExp(`^${MARK}`) },
    handler: (id) => moduleOf(id.slice(MARK.length)),
  },
};

function moduleOf(name: string): string {
  const names = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name)))
    .filter(([key, { value, enumerable }]) => enumerable && value !== undefined && /^[a-zA-Z]\w*$/.test(key))
    .map(([key]) => key);
  return `const part = process.getBuiltinModule('node:${name}');
const take = (name) => part[name];
export default part;
${names.map((key) => `const ${key}_ = /* @__PURE__ */ take('${key}');\nexport { ${key}_ as ${key} };`).join('\n')}
`;
}
