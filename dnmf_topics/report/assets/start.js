// Start.

function resize() {
  const isFirst = !view.width;
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  canvas.width = Math.max(1, Math.round(view.width * devicePixelRatio));
  canvas.height = Math.max(1, Math.round(view.height * devicePixelRatio));
  image = context.createImageData(canvas.width, canvas.height);
  setView(...(isFirst ? home() : [view.zoom, view.left, view.top]));
  drawMatrix();
}

showHeader();
showTopics();
showMixedControl();
showSimilarity();
showLabels();
showMade();
fillGrid();
listenToMap();
setTheme(theme);
systemDark.addEventListener("change", () => { if (!choice) setTheme(systemTheme()); });
byId("theme").addEventListener("click", changeTheme);
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") byId("results").querySelector("button")?.click();
});
byId("words").addEventListener("toggle", () => { if (!byId("frame").firstChild) showPanel(); });
new ResizeObserver(resize).observe(canvas);
addEventListener("hashchange", followAddress);
followAddress();
