// Light and dark: as the system is set, or else as the button was pressed.

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = () => (systemDark.matches ? "dark" : "light");
const memory = {
  key: "dnmf_topics theme",
  // Browsers may refuse it to a page that is a file.
  read() { try { return localStorage.getItem(this.key); } catch { return null; } },
  write(value) { try { localStorage.setItem(this.key, value); } catch { /* not remembered */ } },
};
let choice = ["dark", "light"].find((value) => value === memory.read()) ?? null;
let theme = choice ?? systemTheme();

function setTheme(value) {
  theme = value;
  document.documentElement.style.colorScheme = value;
  document.documentElement.dataset.theme = value;
  byId("theme").textContent = value === "dark" ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Change to ${value === "dark" ? "light" : "dark"} colors`);
  drawMap();
  drawTime();
  drawMatrix();
}

function changeTheme() {
  setTheme(theme === "dark" ? "light" : "dark");
  choice = theme === systemTheme() ? null : theme; // the same as the system's: follow it again
  memory.write(choice ?? "");
}
