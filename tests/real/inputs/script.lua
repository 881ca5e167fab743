-- Closures, metatables, coroutines, errors across pcall, strings, garbage: what an interpreter does all day.
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
print("fib", fib(15))

local Account = {}
Account.__index = Account
function Account.new(balance) return setmetatable({balance = balance}, Account) end
function Account:withdraw(amount)
  if amount > self.balance then error({short = amount - self.balance}) end
  self.balance = self.balance - amount
end
Account.__add = function(a, b) return Account.new(a.balance + b.balance) end
Account.__tostring = function(a) return "account of " .. a.balance end
local account = Account.new(100) + Account.new(20)
local refused = 0
for i = 1, 40 do
  local ok, why = pcall(account.withdraw, account, i % 7)
  if not ok then refused = refused + why.short end
end
print(account, "refused", refused)

local function numbers(n)
  return coroutine.wrap(function()
    for i = 1, n do coroutine.yield(i) end
    error("done")
  end)
end
local sum, next_number = 0, numbers(50)
for _ = 1, 50 do sum = sum + next_number() end
print("sum", sum, pcall(next_number))

local words, text = {}, "the quick brown fox jumps over the lazy dog and the quiet cat"
for word in text:gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
local sorted = {}
for word, count in pairs(words) do sorted[#sorted + 1] = string.format("%s=%d", word, count) end
table.sort(sorted)
print(table.concat(sorted, " "))
print(text:gsub("(%a)(%a*)", function(a, b) return a:upper() .. b end))

local garbage = {}
for i = 1, 2000 do garbage[i % 50] = {i, tostring(i), i * 1.5} end
collectgarbage()
local loaded = load("local a, b = ... return (a << 3) ~ b // 3, a / b, #'" .. ("x"):rep(20) .. "'")
print(loaded(12, 7))
print(select("#", table.unpack({1, 2, nil, 4}, 1, 4)), math.type(3.0), 7 // -2, -7 % 3, 2 ^ 10)
print(pcall(load, "x = = 1"), (load("x = = 1")))
print(xpcall(function() local t = nil; return t.x end, function(m) return (m:gsub("^.-:%d+: ", "")) end))
goto out
print("never")
::out::
os.exit(account.balance >= 0 and 5 or 0, true)
