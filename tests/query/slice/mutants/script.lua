-- Words counted and sorted, and numbers written without the C library.
local function digits(n)
  if n < 0 then return "-" .. digits(-n) end
  local s = ""
  repeat
    s = string.char(48 + n % 10) .. s
    n = n // 10
  until n == 0
  return s
end

local text = "the quick brown fox jumps over the lazy dog and the quick dog runs over the brown hill"
local counts, words = {}, {}
for word in text:gmatch("%a+") do
  if not counts[word] then words[#words + 1] = word end
  counts[word] = (counts[word] or 0) + 1
end
table.sort(words, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
for i = 1, #words do print(words[i] .. " " .. digits(counts[words[i]])) end

local sieve, primes = {}, 0
for i = 2, 60 do
  if not sieve[i] then
    primes = primes + i
    for j = i * i, 60, i do sieve[j] = true end
  end
end
print(digits(primes) .. " " .. digits(#text) .. " " .. text:upper():sub(5, 19):reverse())
local t = setmetatable({}, { __index = function(_, k) return k * 3 end })
print(digits(t[14] - t[2] << 2) .. table.concat({ "a", "b", "c" }, "-"))
