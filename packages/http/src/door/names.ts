/** Names of this machine: which hosts are loopback, and which name a Host header or an origin has. */

/** Which names a server answers to besides the loopback ones, and which pages may call it. */
export interface AllowedNames {
  /** Host names without ports. */
  readonly hosts: readonly string[];
  /** Origins of other sites whose pages may call; `null` is the origin of file pages. */
  readonly origins: readonly string[];
}

const PORT = /^:\d{1,5}$/;
const HIGHEST_PORT = 65_535;

/** The name in a Host header, in lower case; with a port that is none it stays whole, and fits nothing. */
export function hostNameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  return (end > 0 && isPort(host.slice(end)) ? host.slice(0, end) : host).toLowerCase();
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text.slice(1)) <= HIGHEST_PORT;
}

const LOCAL_NAME = /^[a-z0-9._-]*\.localhost$/;
const LOCAL_ADDRESS = /^127(?:\.\d{1,3}){3}$/;

/** True for names that lead to this machine from everywhere: `localhost`, `*.localhost`, 127/8 and ::1. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || LOCAL_NAME.test(name) || LOCAL_ADDRESS.test(name);
}

const WEB_ORIGIN = /^https?:\/\//;

/** The host name of an origin of a web page; undefined for any other origin. */
export function originNameOf(origin: string): string | undefined {
  return WEB_ORIGIN.test(origin) ? hostNameOf(origin.replace(WEB_ORIGIN, '')) : undefined;
}

/** True for a page of the very host that was asked. */
export function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** The same names with those of the public address, which is a name of this server like any other. */
export function namesWith(names: AllowedNames, publicUrl: string | undefined): AllowedNames {
  if (publicUrl === undefined) return names;
  const { hostname, origin } = new URL(publicUrl);
  return { hosts: [...names.hosts, hostname], origins: [...names.origins, origin] };
}
