"""A real browser, where there is one, for the tests of pages."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Around the page, so that a window may be as narrow as a phone, and something can look into it.
AROUND = """<!DOCTYPE html>
<iframe id="page" style="width: {width}px; height: 800px; border: 0" srcdoc="{page}"></iframe>
<pre id="seen"></pre>
<script>
addEventListener("load", () => {{
  const inside = document.getElementById("page").contentWindow;
  const root = inside.document.documentElement;
  const images = [...inside.document.images];
  const box = inside.document.querySelector(".profile")?.parentElement;
  document.getElementById("seen").textContent = JSON.stringify({{
    width: inside.innerWidth,
    needed: Math.max(root.scrollWidth, inside.document.body.scrollWidth),
    profile_hidden: box ? box.scrollWidth - box.clientWidth : 0,
    ran: Boolean(inside.ran || window.ran),
    images: images.length,
    shown: images.filter((each) => each.naturalWidth > 0).length,
  }});
}});
</script>
"""


def seen_by_a_browser(page, width, folder):
    """What a browser makes of a page in a window of this width, as JSON."""
    path = folder / "around.html"
    path.write_text(AROUND.format(width=width, page=html.escape(page, quote=True)))
    done = subprocess.run(
        [
            CHROMIUM,
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={folder}/profile"),
            *("--window-size=1280,1000", "--virtual-time-budget=5000", "--dump-dom"),
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (found,) = re.findall(r'<pre id="seen">(.+?)</pre>', done.stdout)
    return found
