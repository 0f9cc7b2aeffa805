/** Owns resolvers whose every answer a test decides. */
import type { Resolve, ResolvedAddress } from '../policy.ts';

/** A resolver that answers each lookup of a name with the next of its scripted answers, and counts the lookups. */
export function scriptResolver(names: Record<string, string[][]>): { resolve: Resolve; lookups: string[] } {
  const lookups: string[] = [];
  const resolve: Resolve = async (host) => {
    const answers = names[host];
    const before = lookups.filter((name) => name === host).length;
    lookups.push(host);
    if (answers === undefined) throw new Error('unknown name');
    return (answers[before] ?? answers.at(-1) ?? []).map(toAddress);
  };
  return { resolve, lookups };
}

function toAddress(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}
