// What this browser keeps. It may refuse to store anything, even to be asked; then all lasts as long as the page.
const memory = new Map<string, string>();

/** Whether this browser takes cookies from here. Tried, because `navigator.cookieEnabled` may say yes where they are blocked. */
export const takesCookies = tryCookie();

function tryCookie(): boolean {
  try {
    document.cookie = "cabochon_probe=yes; SameSite=Lax; Path=/";
    const isThere = document.cookie.includes("cabochon_probe=yes");
    document.cookie = "cabochon_probe=; SameSite=Lax; Path=/; Max-Age=0";
    return isThere;
  } catch {
    return false;
  }
}

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

export function store(key: string, value: string | null) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
  }
}
